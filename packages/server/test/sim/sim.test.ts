import { describe, expect, test } from "vitest";
import {
  DeafToPriorities,
  EarlyAck,
  forgetsDeletions,
  GenerousCredit,
  LostTail,
  neverAnswers,
  seldomSyncs,
  withKv,
  withVerbs,
} from "./planted-faults.ts";
import { type OpenEngine, openEngine } from "./sim-engine.ts";
import { runWorld, type WorldOptions, type WorldReport } from "./world.ts";

const WORLDS = 30;
/** Worlds in which a planted fault may hide before the oracle counts as blind. */
const PATIENCE = 150;

describe("a server that lives through crashes, power cuts and bad company", () => {
  test.each(Array.from({ length: WORLDS }, (_, index) => index + 1))(
    "keeps every promise in the world of seed %i",
    async (seed) => {
      const report = await runWorld(seed);
      expect(report.complaints, `npm run sim -- --seed ${seed}`).toEqual([]);
      expect(report.lives).toBe(4);
    },
  );

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
    await expectComplaint(everywhere(withVerbs(EarlyAck)), /^S2: job \S+ is over \(.*\) and is (sent|shown)/);
  });

  test("an ack that is not synced", async () => {
    await expectComplaint(
      everywhere(withKv(seldomSyncs)),
      /^(S2: job \S+ is over|S1: job \S+ was accepted and is lost)/,
    );
  });

  test("a stream whose tail stays in flight for ever", async () => {
    await expectComplaint(everywhere(withVerbs(LostTail)), /^L2: nothing stands in their way/);
  });

  test("a committer that never answers", async () => {
    const open: WorldOptions["open"] = (_life, isCalm) => (isCalm ? withKv(neverAnswers(10)) : openEngine);
    await expectComplaint({ open }, /^L1: /);
  });

  test("a stream that gets more jobs than it asked for", async () => {
    await expectComplaint(everywhere(withVerbs(GenerousCredit)), /^S4: .* its credit is/);
  });

  test("an order that ignores priorities", async () => {
    const complaint = /^S5: job \S+ was chosen while job \S+, which is better/;
    await expectComplaint({ ...everywhere(withVerbs(DeafToPriorities)), lives: 0 }, complaint);
  });

  test("a deletion that never reaches the disk", async () => {
    await expectComplaint(everywhere(withKv(forgetsDeletions)), /^(S2: job \S+ is over|S8: )/);
  });
});

function everywhere(open: OpenEngine): WorldOptions {
  return { open: () => open };
}

/** Lives worlds until one has such a complaint. */
async function expectComplaint(options: WorldOptions, complaint: RegExp): Promise<void> {
  const others = new Set<string>();
  for (let seed = 1; seed <= PATIENCE; seed += 1) {
    for (const text of (await runWorld(seed, options)).complaints) {
      if (complaint.test(text)) return;
      others.add(text);
    }
  }
  expect([...others], "not one complaint is of the kind that was expected").toContainEqual(
    expect.stringMatching(complaint),
  );
}
