import { instant } from "@millrace/protocol/ids";
import { beforeEach, describe, expect, it } from "vitest";
import { seal } from "../../src/store/checksum.ts";
import { countKey, idKey, purgeKey, tags } from "../../src/store/keyspace.ts";
import { completedJob, deadJob, idOf, inFlightJob, payloadOf, readyJob } from "./fixture-jobs.ts";
import { damage, itemsOf, keysIn, openStore, pagesOf, type StoreRig } from "./fixture-store.ts";

let rig: StoreRig;
const large = payloadOf(JSON.stringify("x".repeat(5000)));

beforeEach(async () => {
  rig = await openStore();
});

describe("a damaged record", () => {
  it("of a live job is never handed out, is left on disk, counted once, and logged with its key", async () => {
    await rig.write((batch) => {
      for (const n of [1, 2, 3]) rig.store.putLive(batch, readyJob({ id: idOf(n) }), payloadOf());
    });
    const key = idKey(tags.live, idOf(2));
    await damage(rig.kv, key);
    for (let i = 0; i < 2; i += 1) {
      expect((await pagesOf(rig.store.scanLive())).map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
      expect(rig.store.live(idOf(2))).toBeUndefined();
      expect(rig.store.payload(idOf(2))).toBeUndefined();
    }
    expect(rig.store.unreadable).toBe(1);
    expect(rig.logger.lines).toEqual([
      {
        level: "error",
        message: expect.stringContaining("damaged"),
        fields: { key: key.toString("hex"), unreadable_records: 1 },
      },
    ]);
    expect(await keysIn(rig.kv)).toEqual(["L", "L", "L"]);
  });

  it("of a live job cannot be rewritten or finished: nothing is added to the write", async () => {
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payloadOf()));
    await damage(rig.kv, idKey(tags.live, idOf(1)));
    await rig.write((batch) => {
      expect(rig.store.rewriteLive(batch, readyJob({ attempts: 1 }))).toBe(false);
      expect(rig.store.finish(batch, inFlightJob(), completedJob())).toBe(false);
      expect(batch.size).toBe(0);
    });
    expect(rig.store.unreadable).toBe(1);
  });

  it("under another job's key is noticed too", async () => {
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payloadOf()));
    const record = rig.kv.get(idKey(tags.live, idOf(1))) ?? Buffer.alloc(0);
    await rig.write((batch) => batch.put(idKey(tags.live, idOf(2)), record));
    expect((await pagesOf(rig.store.scanLive())).map(({ id }) => id)).toEqual([idOf(1)]);
  });

  it("with the payload of a job hides the job, since it cannot be handed out whole", async () => {
    await rig.write((batch) => {
      rig.store.putLive(batch, readyJob({ id: idOf(1) }), large);
      rig.store.putLive(batch, readyJob({ id: idOf(2) }), large);
    });
    await rig.write((batch) => rig.store.finish(batch, readyJob({ id: idOf(2) }), deadJob({ id: idOf(2) })));
    for (const n of [1, 2]) await damage(rig.kv, idKey(tags.payload, idOf(n)), 333);
    expect(rig.store.payload(idOf(1))).toBeUndefined();
    expect(rig.store.live(idOf(1))).toBeUndefined();
    expect(rig.store.finished(idOf(2))).toBeUndefined();
    expect(await itemsOf(rig.store.finishedPages({ filter: {}, order: "asc" }))).toEqual([]);
    expect(await itemsOf(rig.store.finishedJobs({ filter: {}, order: "asc" }))).toHaveLength(1);
    expect(rig.store.unreadable).toBe(2);
  });

  it("of a finished job, a claim, a purge mark or a count is passed over by its scan", async () => {
    await rig.write((batch) => {
      rig.store.putLive(batch, readyJob(), payloadOf());
      rig.store.putClaim(batch, inFlightJob({ id: idOf(5) }));
      rig.store.putClaim(batch, inFlightJob({ id: idOf(6) }));
      rig.store.putCount(batch, "dead", "a", "b", 1);
      rig.store.putCount(batch, "dead", "c", "d", 2);
    });
    await rig.write((batch) => rig.store.finish(batch, readyJob(), deadJob({ purgeAt: 7 })));
    await damage(rig.kv, idKey(tags.finished, idOf(1)));
    await damage(rig.kv, idKey(tags.claim, idOf(5)));
    await damage(rig.kv, purgeKey(7, idOf(1)));
    await damage(rig.kv, countKey("dead", "a", "b"));
    expect(rig.store.finished(idOf(1))).toBeUndefined();
    expect(await itemsOf(rig.store.finishedPages({ filter: {}, order: "asc" }))).toEqual([]);
    expect((await pagesOf(rig.store.scanClaims())).map(({ id }) => id)).toEqual([idOf(6)]);
    expect(await pagesOf(rig.store.scanPurge(instant(100)))).toEqual([]);
    expect(await itemsOf(rig.store.scanCounts())).toEqual([{ status: "dead", queue: "c", type: "d", count: 2 }]);
    expect(rig.store.unreadable).toBe(4);
  });

  it("of a finished job can still be purged by its mark", async () => {
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payloadOf()));
    await rig.write((batch) => rig.store.finish(batch, readyJob(), deadJob({ purgeAt: 7 })));
    await damage(rig.kv, idKey(tags.finished, idOf(1)));
    for (const entry of await pagesOf(rig.store.scanPurge(instant(7)))) {
      await rig.write((batch) => rig.store.dropPurge(batch, entry));
    }
    expect(await keysIn(rig.kv)).toEqual([]);
  });
});

describe("a record of a newer version", () => {
  /** Sets a byte of a record and seals it again, as a newer server would have. */
  async function rewrite(at: number, value: number): Promise<void> {
    const key = idKey(tags.live, idOf(1));
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payloadOf()));
    const record = rig.kv.get(key) ?? Buffer.alloc(0);
    record[at] = value;
    await rig.write((batch) => batch.put(key, seal(record, key)));
  }

  it.each([
    ["version", 0, 2],
    ["state", 1, 6],
    ["low flag", 5, 0x08],
    ["high flag", 7, 0x80],
  ])("by an unknown %s is refused as a whole, and said to be newer", async (_, at, value) => {
    await rewrite(at, value);
    expect(await pagesOf(rig.store.scanLive())).toEqual([]);
    expect(rig.store.payload(idOf(1))).toBeUndefined();
    expect(rig.logger.lines.map(({ message }) => message)).toEqual([expect.stringContaining("newer version")]);
  });
});
