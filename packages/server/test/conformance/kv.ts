import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Kv, KvEntry, KvRange, KvReader } from "../../src/kv/kv.ts";

/** One store under test, empty when it is handed over. */
export interface KvUnderTest {
  readonly kv: Kv;
  /**
   * Ends the process that has the store open, without closing it, and opens what it left behind. Absent: this kind of store
   * does not survive its process, and K2 is not asked of it.
   */
  crash?(): Promise<Kv>;
  /** Closes what is open and removes every trace. */
  dispose(): Promise<void>;
}

/** The numbered contract of `kv/kv.ts`, as tests that any implementation must pass. */
export function exerciseKv(name: string, open: () => Promise<KvUnderTest>): void {
  describe(`${name} keeps the contract of Kv`, () => {
    let under: KvUnderTest;
    let kv: Kv;

    beforeEach(async () => {
      under = await open();
      kv = under.kv;
    });

    afterEach(async () => {
      await under.dispose();
    });

    describe("K1: a write is atomic", () => {
      it("shows nothing of a batch before it is written", () => {
        const batch = kv.batch();
        batch.put(bytes("a"), bytes("1"));
        expect(kv.get(bytes("a"))).toBeUndefined();
        batch.discard();
      });

      it("shows all of a batch once it is written", async () => {
        await write(kv, { a: "1", b: "2", c: "3" });
        expect(await dump(kv)).toEqual({ a: "1", b: "2", c: "3" });
      });

      it("leaves no trace of a discarded batch", async () => {
        const batch = kv.batch();
        batch.put(bytes("a"), bytes("1"));
        batch.discard();
        await write(kv, { b: "2" });
        expect(await dump(kv)).toEqual({ b: "2" });
      });

      it("never lets a reader see half of a batch", async () => {
        const writes: Promise<void>[] = [];
        const seen: number[] = [];
        for (let round = 0; round < 20; round += 1) {
          const batch = kv.batch();
          for (let i = 0; i < 200; i += 1) batch.put(bytes(`key-${i}`), bytes(`${round}`));
          const written = batch.write({ sync: false });
          const values = new Set(Object.values(await dump(kv)));
          seen.push(values.size);
          writes.push(written);
          await written;
        }
        await Promise.all(writes);
        expect(Math.max(...seen)).toBeLessThanOrEqual(1);
      });

      it("writes an empty batch without a complaint", async () => {
        await kv.batch().write({ sync: true });
        expect(await dump(kv)).toEqual({});
      });
    });

    describe("K2: a resolved write survives a crash of the process", () => {
      it.each([true, false])("when it was written with sync = %s", async (sync) => {
        if (under.crash === undefined) return expect(under.crash).toBeUndefined();
        for (let i = 0; i < 50; i += 1) await write(kv, { [`key-${String(i).padStart(2, "0")}`]: `${i}` }, { sync });
        kv = await under.crash();
        expect(Object.keys(await dump(kv))).toHaveLength(50);
        expect(text(kv.get(bytes("key-49")))).toBe("49");
      });

      it("and so does a deletion", async () => {
        if (under.crash === undefined) return expect(under.crash).toBeUndefined();
        await write(kv, { a: "1", b: "2" });
        await write(kv, { a: undefined });
        kv = await under.crash();
        expect(await dump(kv)).toEqual({ b: "2" });
      });
    });

    describe("K3: a caller must not guess", () => {
      it("refuses a second write of one batch", async () => {
        const batch = kv.batch();
        batch.put(bytes("a"), bytes("1"));
        await batch.write({ sync: false });
        await expect(batch.write({ sync: false })).rejects.toThrow();
      });
    });

    describe("K4: what a reader sees", () => {
      it("is what was written before, whichever way it is read", async () => {
        await write(kv, { a: "1" });
        const snapshot = kv.snapshot();
        for (const reader of [kv, snapshot]) {
          expect(text(reader.get(bytes("a")))).toBe("1");
          expect((await reader.getMany([bytes("a")])).map(text)).toEqual(["1"]);
          expect(await dump(reader)).toEqual({ a: "1" });
        }
        await snapshot.close();
      });

      it("never changes in a snapshot", async () => {
        await write(kv, { a: "1", b: "2" });
        const snapshot = kv.snapshot();
        await write(kv, { a: "9", b: undefined, c: "3" });
        expect(text(snapshot.get(bytes("a")))).toBe("1");
        expect((await snapshot.getMany([bytes("b"), bytes("c")])).map(text)).toEqual(["2", undefined]);
        expect(await dump(snapshot)).toEqual({ a: "1", b: "2" });
        expect(await dump(kv)).toEqual({ a: "9", c: "3" });
        await snapshot.close();
      });

      it("never changes within a scan that has begun", async () => {
        await write(kv, numbered(3000));
        const seen: string[] = [];
        for await (const page of kv.scan(everything)) {
          if (seen.length === 0)
            await write(kv, Object.fromEntries(Object.keys(numbered(3000)).map((key) => [key, "changed"])));
          seen.push(...page.map(([, value]) => text(value) ?? ""));
        }
        expect(seen).toEqual(Object.values(numbered(3000)));
      });

      it("answers several keys in the order asked, with gaps, and an empty list with an empty one", async () => {
        await write(kv, { a: "1", c: "3" });
        expect((await kv.getMany(["c", "b", "a", "c"].map(bytes))).map(text)).toEqual(["3", undefined, "1", "3"]);
        expect(await kv.getMany([])).toEqual([]);
      });

      it("keeps values of any bytes and sizes, and keys of any bytes", async () => {
        const entries: [Buffer, Buffer][] = [
          [Buffer.from([0]), Buffer.alloc(0)],
          [Buffer.from([0, 0]), Buffer.from([0, 255, 10, 13])],
          [Buffer.from([0x7f, 0xff]), Buffer.alloc(1_100_000, 7)],
          [Buffer.from([0xff]), Buffer.from("é")],
        ];
        const batch = kv.batch();
        for (const [key, value] of entries) batch.put(key, value);
        await batch.write({ sync: false });
        for (const [key, value] of entries) expect(kv.get(key)?.equals(value)).toBe(true);
        const found = await scan(kv, { gte: Buffer.from([0]), lt: Buffer.from([0xff, 0]) });
        expect(found.map(([key]) => key.toString("hex"))).toEqual(entries.map(([key]) => key.toString("hex")));
      });

      it("takes keys and values that are views of larger memory", async () => {
        const memory = new TextEncoder().encode("..key=value..");
        const batch = kv.batch();
        batch.put(memory.subarray(2, 5), memory.subarray(6, 11));
        await batch.write({ sync: false });
        expect(text(kv.get(memory.subarray(2, 5)))).toBe("value");
      });

      it("does not change with bytes that the caller reuses after the write, or got from a read", async () => {
        const value = Buffer.from("first");
        const batch = kv.batch();
        batch.put(bytes("a"), value);
        await batch.write({ sync: false });
        value.fill(0);
        kv.get(bytes("a"))?.fill(0);
        expect(text(kv.get(bytes("a")))).toBe("first");
      });
    });

    describe("K5: later operations of a batch win", () => {
      it("over earlier ones on the same key", async () => {
        const batch = kv.batch();
        batch.put(bytes("a"), bytes("1"));
        batch.put(bytes("a"), bytes("2"));
        batch.put(bytes("b"), bytes("1"));
        batch.del(bytes("b"));
        batch.del(bytes("c"));
        batch.put(bytes("c"), bytes("3"));
        expect(batch.size).toBe(6);
        await batch.write({ sync: false });
        expect(await dump(kv)).toEqual({ a: "2", c: "3" });
      });
    });

    describe("K6: scans", () => {
      it("are in bytewise order, from gte to just before lt, each key once", async () => {
        const keys = [[1], [1, 0], [1, 255], [2], [2, 0], [128], [254, 255]].map((key) => Buffer.from(key));
        const batch = kv.batch();
        for (const key of [...keys].reverse()) batch.put(key, key);
        await batch.write({ sync: false });
        const hexOf = (entries: readonly KvEntry[]) => entries.map(([key]) => key.toString("hex"));
        expect(hexOf(await scan(kv, { gte: Buffer.from([1, 0]), lt: Buffer.from([128]) }))).toEqual([
          "0100",
          "01ff",
          "02",
          "0200",
        ]);
        expect(hexOf(await scan(kv, { gte: Buffer.from([1]), lt: Buffer.from([255]), reverse: true }))).toEqual(
          keys.map((key) => key.toString("hex")).reverse(),
        );
      });

      it("come in pages that are never empty, and in full", async () => {
        await write(kv, numbered(2500));
        const pages: number[] = [];
        for await (const page of kv.scan(everything)) pages.push(page.length);
        expect(Math.min(...pages)).toBeGreaterThan(0);
        expect(pages.length).toBeGreaterThan(1);
        expect(pages.reduce((sum, length) => sum + length, 0)).toBe(2500);
      });

      it.each([1, 7, 1000, 1001, 5000])("give at most the limit of %s entries, from either end", async (limit) => {
        await write(kv, numbered(1500));
        const keys = Object.keys(numbered(1500));
        const keysOf = async (range: KvRange) => (await scan(kv, range)).map(([key]) => text(key));
        expect(await keysOf({ ...everything, limit })).toEqual(keys.slice(0, limit));
        expect(await keysOf({ ...everything, limit, reverse: true })).toEqual([...keys].reverse().slice(0, limit));
      });

      it("of an empty range give nothing", async () => {
        await write(kv, { a: "1" });
        expect(await scan(kv, { gte: bytes("b"), lt: bytes("c") })).toEqual([]);
        expect(await scan(kv, { gte: bytes("a"), lt: bytes("a") })).toEqual([]);
      });

      it("can be abandoned, also by an error, and the store still closes", async () => {
        await write(kv, numbered(2500));
        for await (const page of kv.scan(everything)) if (page.length > 0) break;
        const failing = async () => {
          for await (const page of kv.scan(everything)) throw new RangeError(`enough after ${page.length}`);
        };
        await expect(failing()).rejects.toThrow(RangeError);
        await kv.close();
        expect(under.kv).toBe(kv);
      });
    });

    it("closes once, however often it is asked to, and after the write under way", async () => {
      const batch = kv.batch();
      batch.put(bytes("a"), bytes("1"));
      const written = batch.write({ sync: true });
      const closed = Promise.all([kv.close(), kv.close()]);
      await expect(written).resolves.toBeUndefined();
      await expect(closed).resolves.toHaveLength(2);
    });
  });
}

const everything = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) } as const;

function bytes(value: string): Buffer {
  return Buffer.from(value, "latin1");
}

function text(value: Buffer | undefined): string | undefined {
  return value?.toString("latin1");
}

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`key-${String(i).padStart(6, "0")}`, `value ${i}`]),
  );
}

async function write(kv: Kv, changes: Record<string, string | undefined>, options = { sync: false }): Promise<void> {
  const batch = kv.batch();
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) batch.del(bytes(key));
    else batch.put(bytes(key), bytes(value));
  }
  await batch.write(options);
}

async function scan(reader: KvReader, range: KvRange): Promise<KvEntry[]> {
  const entries: KvEntry[] = [];
  for await (const page of reader.scan(range)) entries.push(...page);
  return entries;
}

async function dump(reader: KvReader): Promise<Record<string, string>> {
  const entries = await scan(reader, everything);
  return Object.fromEntries(entries.map(([key, value]) => [text(key) ?? "", text(value) ?? ""]));
}
