import { describe, expect, it } from "vitest";
import { attemptDroppedBy, attemptsKept } from "../../src/store/error-record.ts";
import { errorKey } from "../../src/store/keyspace.ts";
import { deadJob, errorOf, idOf, payloadOf, readyJob } from "./fixture-jobs.ts";
import { damage, keysIn, openStore } from "./fixture-store.ts";

describe("the errors of a job", () => {
  it("keep the first 500 and the last 500 attempts: adding and dropping one by one agrees with the rule", () => {
    const stored = new Set<number>();
    for (let attempt = 1; attempt <= 2300; attempt += 1) {
      stored.add(attempt);
      const dropped = attemptDroppedBy(attempt);
      if (dropped !== undefined) expect(stored.delete(dropped)).toBe(true);
      expect(stored.size).toBe(Math.min(attempt, 1000));
      if (attempt % 97 === 0 || attempt === 1000 || attempt === 1001) {
        expect([...attemptsKept(attempt)]).toEqual([...stored].sort((a, b) => a - b));
      }
    }
    expect([...stored].sort((a, b) => a - b).slice(498, 502)).toEqual([499, 500, 1801, 1802]);
  });

  it("have none before the first failure", () => {
    expect([...attemptsKept(0)]).toEqual([]);
  });

  it("all go with their job, live or finished, without a scan", async () => {
    const rig = await openStore();
    const job = readyJob({ attempts: 1203 });
    await rig.write((batch) => {
      rig.store.putLive(batch, job, payloadOf());
      for (let attempt = 1; attempt <= 1203; attempt += 1) rig.store.putError(batch, job.id, errorOf(attempt));
    });
    expect(await keysIn(rig.kv)).toHaveLength(1001);
    await rig.write((batch) => rig.store.removeLive(batch, job));
    expect(await keysIn(rig.kv)).toEqual([]);

    const dead = deadJob({ id: idOf(2), attempts: 2 });
    await rig.write((batch) => {
      rig.store.putLive(batch, readyJob({ id: dead.id, attempts: 1 }), payloadOf());
      rig.store.putError(batch, dead.id, errorOf(1));
    });
    await rig.write((batch) => {
      rig.store.putError(batch, dead.id, errorOf(2));
      rig.store.finish(batch, readyJob({ id: dead.id, attempts: 1 }), dead);
    });
    expect(await rig.store.errors(dead.id, { order: "asc", limit: 10 })).toEqual([errorOf(1), errorOf(2)]);
    await rig.write((batch) => rig.store.removeFinished(batch, dead));
    expect(await keysIn(rig.kv)).toEqual([]);
  });

  it("are read by attempt, from either end, behind an exclusive place, up to a limit, past a damaged one", async () => {
    const { store, write, kv } = await openStore();
    const [before, job, after] = [idOf(1), idOf(2), idOf(3)];
    await write((batch) => {
      for (const id of [before, job, after]) for (let n = 1; n <= 6; n += 1) store.putError(batch, id, errorOf(n));
    });
    const attempts = async (query: { from?: number; order: "asc" | "desc"; limit: number }) =>
      (await store.errors(job, query)).map(({ attempt }) => attempt);
    expect(await attempts({ order: "asc", limit: 10 })).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await attempts({ order: "desc", limit: 10 })).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await attempts({ from: 3, order: "asc", limit: 2 })).toEqual([4, 5]);
    expect(await attempts({ from: 3, order: "desc", limit: 10 })).toEqual([2, 1]);
    expect(await attempts({ from: 0, order: "asc", limit: 1 })).toEqual([1]);
    expect(await attempts({ from: 4_294_967_295, order: "desc", limit: 1 })).toEqual([6]);
    expect(await attempts({ from: 6, order: "asc", limit: 1 })).toEqual([]);
    expect(store.error(job, 4)).toEqual(errorOf(4));
    expect(store.error(job, 7)).toBeUndefined();
    await damage(kv, errorKey(job, 4));
    expect(await attempts({ from: 3, order: "asc", limit: 2 })).toEqual([5, 6]);
    expect(store.error(job, 4)).toBeUndefined();
    expect(store.unreadable).toBe(1);
  });
});
