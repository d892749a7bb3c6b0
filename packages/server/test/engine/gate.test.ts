import { QueueError } from "@millrace/protocol/errors";
import { describe, expect, it } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { Gate } from "../../src/engine/gate.ts";
import { SimClock } from "../sim/sim-clock.ts";

function gate(): { clock: SimClock; gate: Gate } {
  const clock = new SimClock();
  return { clock, gate: new Gate({ clock, waitMs: 10_000 }) };
}

describe("the gate of a life that is still rebuilding its memory", () => {
  it("lets those who wait pass when it opens", async () => {
    const { gate: it } = gate();
    const waiting = Promise.all([it.whenOpen(), it.whenOpen()]);
    it.open();
    expect(await waiting).toEqual([undefined, undefined]);
    expect(it.isOpen).toBe(true);
  });

  it("says NOT_READY to who has waited long enough", async () => {
    const { clock, gate: it } = gate();
    const refused = it.whenOpen().catch((error: unknown) => error);
    await clock.run(clock.now() + 10_000);
    expect(await refused).toMatchObject({ code: "NOT_READY" });
  });

  it("says NOT_READY at once when too many wait", async () => {
    const { gate: it } = gate();
    const waiting = Array.from({ length: limits.readyWaitersMax }, () => it.whenOpen());
    await expect(it.whenOpen()).rejects.toMatchObject({ code: "NOT_READY" });
    it.open();
    await Promise.all(waiting);
  });

  it("never answers from half a memory when it stops before it was open", async () => {
    const { gate: it } = gate();
    const waiting = it.whenOpen().catch((error: unknown) => error);
    it.stop();
    expect(await waiting).toMatchObject({ code: "SHUTTING_DOWN" });
    await expect(it.whenOpen()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    it.end(new QueueError("STORAGE_UNAVAILABLE", "a write failed"));
    await expect(it.whenOpen()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });
});
