import { describe, expect, test } from "vitest";
import {
  DeafToPriorities,
  EarlyAck,
  forgetsDeletions,
  GenerousCredit,
  LostTail,
  neverAnswers,
  neverSyncs,
  withKv,
  withVerbs,
} from "./planted-faults.ts";
import type { OpenEngine } from "./sim-engine.ts";
import { runWorld, type WorldOptions, type WorldReport } from "./world.ts";

const WORLDS = 40;
/** Worlds in which a planted fault may hide before the oracle counts as blind. */
const PATIENCE = 150;

describe("a server that lives through crashes, power cuts and bad company", () => {
  test.each(Array.from({ length: WORLDS }, (_, index) => index + 1))("keeps every promise in the world of seed %i", async (seed) => {
    const report = await runWorld(seed);
    expect(report.complaints, `npm run sim -- --seed ${seed}`).toEqual([]);
    expect(report.lives).toBe(4);
  });

  test("has one history for one seed, to the byte", async () => {
    const once = await runWorld(7);
    const again = await runWorld(7);
    expect(again.journal.join("\n")).toBe(once.journal.join("\n"));
    expect(again).toEqual(once);
  });

  test("has another history for another seed", async () => {
    const [one, other] = [await runWorld(7), await runWorld(8)];
    expect(one.journal.join("\n")).not.toBe(other.journal.join("\n"));
  });

  test("is really used: jobs are accepted, sent again after crashes, failed and acked, and power cuts take writes", async () => {
    const reports: WorldReport[] = [];
    for (let seed = 1; seed <= 20; seed += 1) reports.push(await runWorld(seed));
    for (const number of ["accepted", "sent", "redelivered", "acked", "failed", "lostWrites"] as const) {
      const total = reports.reduce((sum, report) => sum + report[number], 0);
      expect(total, number).toBeGreaterThan(20);
    }
  });
});

describe("the oracle sees a planted fault", () => {
  test("an ack that is answered before it is durable", async () => {
    expect(await firstComplaint(everywhere(withVerbs(EarlyAck)))).toMatch(/^S2: job \S+ is over \(.*\) and is s/);
  });

  test("an ack that is not synced", async () => {
    expect(await firstComplaint(everywhere(withKv(neverSyncs)))).toMatch(/^S[12]: /);
  });

  test("a stream whose tail stays in flight for ever", async () => {
    expect(await firstComplaint(everywhere(withVerbs(LostTail)))).toMatch(/^L2: nothing stands in their way/);
  });

  test("a committer that never answers", async () => {
    const open: WorldOptions["open"] = (_life, isCalm) => withKv(neverAnswers(isCalm ? 10 : -1));
    expect(await firstComplaint({ open })).toMatch(/^L1: /);
  });

  test("a stream that gets more jobs than it asked for", async () => {
    expect(await firstComplaint(everywhere(withVerbs(GenerousCredit)))).toMatch(/^S4: .* its credit is/);
  });

  test("an order that ignores priorities", async () => {
    const open: WorldOptions["open"] = () => withVerbs(DeafToPriorities);
    expect(await firstComplaint({ open, lives: 0 })).toMatch(/^S5: job \S+ was chosen while job \S+, which is better/);
  });

  test("a deletion that never reaches the disk", async () => {
    expect(await firstComplaint(everywhere(withKv(forgetsDeletions)))).toMatch(/^(S2|S3|S8): /);
  });
});

function everywhere(open: OpenEngine): WorldOptions {
  return { open: () => open };
}

/** The first complaint in the first world that has one. */
async function firstComplaint(options: WorldOptions): Promise<string> {
  for (let seed = 1; seed <= PATIENCE; seed += 1) {
    const [complaint] = (await runWorld(seed, options)).complaints;
    if (complaint !== undefined) return complaint;
  }
  return "nothing was seen";
}
