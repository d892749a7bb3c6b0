import { instant } from "@millrace/protocol/ids";
import { describe, expect, test } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { JobTable } from "../../src/index/job-table.ts";
import type { LiveJob } from "../../src/job/job.ts";
import { inFlight, ready, sampleId, scheduled } from "./sample-jobs.ts";

const everything = {
  queue: "q/ü",
  type: "t",
  priority: 65_535,
  readyAt: Number.MAX_SAFE_INTEGER,
  attempts: 2 ** 32 - 1,
  lost: 2 ** 32 - 1,
  dequeuedAt: instant(2 ** 52 + 1),
  failedAt: instant(0),
  options: {
    retryLimit: 0,
    backoff: { exponent: 1.5, baseMs: 1, jitterMs: 2 },
    completedRetentionMs: 2n ** 64n - 1n,
    deadRetentionMs: 0,
  },
};

describe("a job table", () => {
  test.each<[string, LiveJob]>([
    ["a plain job", ready(1)],
    ["priority 0", ready(1, { priority: 0, readyAt: 0 })],
    ["everything at its largest", ready(1, everything)],
    ["a scheduled job", scheduled(1, 2 ** 40)],
    ["a retry", scheduled(1, 5, { attempts: 1, failedAt: instant(4) }, "retry")],
    ["a job in flight", inFlight(ready(1, everything))],
  ])("gives back %s as it was", (_, job) => {
    const table = new JobTable();
    const slot = table.insert(job);
    expect(table.read(slot)).toEqual(job);
    expect(Object.keys(table.read(slot))).toEqual(Object.keys(job));
    expect(table.find(job.id)).toBe(slot);
    expect(table.status(slot)).toBe(job.status);
  });

  test("clamps a due time that a double cannot hold", () => {
    const table = new JobTable();
    expect(table.read(table.insert(scheduled(1, 2n ** 64n - 1n))).readyAt).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("rewrites any field but the id", () => {
    const table = new JobTable();
    const slot = table.insert(ready(1, everything));
    for (const job of [scheduled(1, 7), inFlight(ready(1, { queue: "other" })), ready(1, everything), ready(1)]) {
      table.write(slot, job);
      expect(table.read(slot)).toEqual(job);
    }
  });

  test("shares equal options and drops them with their last job", () => {
    const table = new JobTable();
    const a = table.insert(ready(1, { options: { retryLimit: 3 } }));
    const b = table.insert(ready(2, { options: { retryLimit: 4 } }));
    const c = table.insert(ready(3, { options: { retryLimit: 3 } }));
    expect(table.read(c).options).toBe(table.read(a).options);
    expect(table.options.size).toBe(2);
    table.write(b, ready(2));
    table.remove(a);
    expect(table.options.size).toBe(1);
    expect(table.read(c).options).toEqual({ retryLimit: 3 });
    table.remove(c);
    expect(table.options.size).toBe(0);
    expect(table.read(table.insert(ready(4, { options: { retryLimit: 5 } }))).options).toEqual({ retryLimit: 5 });
  });

  test("lets names go with their last job, however many there were", () => {
    const table = new JobTable();
    for (let place = 0; place < 10_000; place += 1) {
      table.remove(table.insert(ready(place, { queue: `queue ${place}`, type: `type ${place}` })));
    }
    expect(table.kinds.queues.size).toBe(0);
    expect(table.kinds.numbersEnd).toBe(1);
  });

  test("lets a name go when its last job moves to another queue", () => {
    const table = new JobTable();
    const slot = table.insert(ready(1, { queue: "old" }));
    table.write(slot, ready(1, { queue: "new" }));
    expect([...table.kinds.queues.keys()]).toEqual(["new"]);
  });

  test("keeps no history of jobs that have none", () => {
    const table = new JobTable();
    const slot = table.insert(ready(1));
    expect(table.histories.size).toBe(0);
    table.write(slot, inFlight(ready(1)));
    expect(table.histories.size).toBe(1);
    table.remove(slot);
    expect(table.histories.size).toBe(0);
  });

  test("finds a hundred thousand jobs, and none that was removed", () => {
    const table = new JobTable();
    const count = 100_000;
    for (let place = 0; place < count; place += 1) table.insert(ready(place));
    for (let place = 0; place < count; place += 3) table.remove(table.find(sampleId(place)));
    let wrong = 0;
    for (let place = 0; place < count; place += 1) {
      const slot = table.find(sampleId(place));
      if (slot >= 0 === (place % 3 === 0) || (slot >= 0 && table.id(slot) !== sampleId(place))) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(table.size).toBe(count - Math.ceil(count / 3));
  });

  test("uses a slot of a full chunk again before it grows", () => {
    const table = new JobTable();
    const slots = Array.from({ length: 40_000 }, (_, place) => table.insert(ready(place)));
    const freed = [slots[3], slots[20_000]].map((slot) => slot ?? -1);
    for (const slot of freed) table.remove(slot);
    const again = [table.insert(ready(50_000)), table.insert(ready(50_001))];
    expect(again.sort((a, b) => a - b)).toEqual(freed);
  });

  test("gives chunks of rows back when they empty, and uses their numbers again", () => {
    const table = new JobTable();
    const fill = () => Array.from({ length: 80_000 }, (_, place) => table.insert(ready(place)));
    const slots = fill();
    for (const slot of slots) table.remove(slot);
    expect([...table.slots()]).toEqual([]);
    expect(() => table.status(slots[0] ?? -1)).toThrow(BrokenInvariant);
    const again = fill();
    expect(Math.max(...again)).toBeLessThan(100_000);
    expect(new Set(again).size).toBe(again.length);
    expect(table.read(again[70_000] ?? -1)).toEqual(ready(70_000));
  });

  test("refuses a job that it knows, and a slot that nobody is in", () => {
    const table = new JobTable();
    const slot = table.insert(ready(1));
    expect(() => table.insert(ready(1))).toThrow(BrokenInvariant);
    table.remove(slot);
    expect(() => table.read(slot)).toThrow(BrokenInvariant);
    expect(() => table.remove(slot)).toThrow(BrokenInvariant);
    expect(() => table.read(-1)).toThrow(BrokenInvariant);
  });
});
