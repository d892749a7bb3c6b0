import { QueueError } from "@millrace/protocol/errors";
import { describe, expect, it } from "vitest";
import type { Kv } from "../../src/kv/kv.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { metaKey } from "../../src/store/keyspace.ts";
import { encodeFormat } from "../../src/store/small-records.ts";
import { payloadOf, readyJob } from "./fixture-jobs.ts";
import { damage, openStore, writeTo } from "./fixture-store.ts";

describe("the writer epoch", () => {
  it("begins at the time in seconds, and grows with every start, also when the clock stands still or steps back", async () => {
    const kv = new MemoryKv();
    const epochs: number[] = [];
    for (const nowMs of [1_700_000_000_999, 1_700_000_000_999, 1_700_000_000_000, 5000, 1_700_000_500_000]) {
      epochs.push((await openStore(kv, nowMs)).store.epoch);
    }
    expect(epochs).toEqual([1_700_000_000, 1_700_000_001, 1_700_000_002, 1_700_000_003, 1_700_000_500]);
  });

  it("is synced before anything else is written", async () => {
    const kv = new MemoryKv();
    const syncs: boolean[] = [];
    const watched: Kv = Object.assign(Object.create(kv), {
      get: (key: Uint8Array) => kv.get(key),
      scan: (range: Parameters<Kv["scan"]>[0]) => kv.scan(range),
      batch: () => {
        const batch = kv.batch();
        const write = batch.write.bind(batch);
        batch.write = (options) => {
          syncs.push(options.sync);
          return write(options);
        };
        return batch;
      },
    });
    await openStore(watched);
    expect(syncs).toEqual([true]);
  });

  it("falls back on the clock when its record is damaged, and says so", async () => {
    const kv = new MemoryKv();
    await openStore(kv);
    await damage(kv, metaKey("epoch"));
    const rig = await openStore(kv, 1_700_000_009_000);
    expect(rig.store.epoch).toBe(1_700_000_009);
    expect(rig.logger.lines).toHaveLength(1);
  });
});

describe("the format version", () => {
  it("of another server is refused, naming what was found and what is understood", async () => {
    const kv = new MemoryKv();
    await openStore(kv);
    const key = metaKey("format");
    await writeTo(kv, (batch) => batch.put(key, encodeFormat(2, key)));
    await expect(openStore(kv)).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      message: expect.stringMatching(/is 2.*version 1/),
    });
  });

  it("is refused when it is damaged", async () => {
    const kv = new MemoryKv();
    await openStore(kv);
    await damage(kv, metaKey("format"));
    await expect(openStore(kv)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });

  it("missing in a store that is not empty means that the store is not ours", async () => {
    const kv = new MemoryKv();
    await writeTo(kv, (batch) => batch.put(Buffer.from("something"), Buffer.from("else")));
    await expect(openStore(kv)).rejects.toThrow(/not empty/);
    expect(kv.get(metaKey("format"))).toBeUndefined();
  });

  it("is written once, and a store opens again with its jobs", async () => {
    const rig = await openStore();
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payloadOf()));
    const { store } = await rig.reopen();
    expect(store.live(readyJob().id)?.job).toEqual(readyJob());
  });

  it("that cannot be written is the store's failure, with its cause", async () => {
    const kv = new MemoryKv();
    const cause = new RangeError("disk full");
    const failing: Kv = Object.assign(Object.create(kv), {
      get: () => undefined,
      scan: (range: Parameters<Kv["scan"]>[0]) => kv.scan(range),
      batch: () => ({ put() {}, write: () => Promise.reject(cause) }),
    });
    const opened = openStore(failing);
    await expect(opened).rejects.toBeInstanceOf(QueueError);
    await expect(opened).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", cause });
  });
});
