import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteTree, type FrozenTree } from "../../src/kv/byte-tree.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { exerciseKv } from "../conformance/kv.ts";

exerciseKv("MemoryKv", async () => {
  const kv = new MemoryKv();
  return { kv, dispose: () => kv.close() };
});

describe("MemoryKv", () => {
  it("lets waiting events have their turn between two pages of a scan, when it has a clock", async () => {
    const waiting: (() => void)[] = [];
    const clock = { now: () => never(), after: () => never(), soon: (run: () => void) => void waiting.push(run) };
    const kv = new MemoryKv({ clock });
    const batch = kv.batch();
    for (let i = 0; i < 1500; i += 1) batch.put(Buffer.from(`${i}`), Buffer.from("x"));
    await batch.write({ sync: false });
    const scan = kv.scan({ gte: Buffer.from([0]), lt: Buffer.from([255]) })[Symbol.asyncIterator]();
    await scan.next();
    const second = scan.next();
    await Promise.resolve();
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    expect((await second).value).toHaveLength(500);
  });
});

describe("ByteTree", () => {
  it("is a sorted map, and whatever was frozen on the way stays as it was", () => {
    const key = fc.integer({ min: 0, max: 400 }).map((n) => String.fromCharCode(n % 256, n >> 3));
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("put"), key, value: fc.string() }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete"), key, value: fc.constant("") }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("freeze"), key, value: fc.constant("") }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1500, size: "max" }), fc.boolean(), (steps, reverse) => {
        const tree = new ByteTree();
        const model = new Map<string, string>();
        const frozen: [FrozenTree, Map<string, string>][] = [];
        for (const { kind, key, value } of steps) {
          if (kind === "freeze") {
            if (frozen.length < 8) frozen.push([tree.freeze(), new Map(model)]);
          } else if (kind === "put") {
            tree.put(key, value);
            model.set(key, value);
          } else {
            tree.delete(key);
            model.delete(key);
          }
        }
        frozen.push([tree, model]);
        for (const [found, expected] of frozen) {
          const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
          if (reverse) sorted.reverse();
          expect([...found.entries("", "\uffff", reverse)]).toEqual(sorted);
          for (const [key, value] of sorted) expect(found.get(key)).toBe(value);
          const [gte, lt] = ["\x20", "\x80"];
          expect([...found.entries(gte, lt, reverse)]).toEqual(sorted.filter(([key]) => key >= gte && key < lt));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("holds a queue's life, where ids only grow and the oldest go first, and is empty at its end", () => {
    const tree = new ByteTree();
    const key = (i: number) => String(i).padStart(8, "0");
    for (let i = 0; i < 20_000; i += 1) {
      tree.put(key(i), "v");
      if (i >= 1000) tree.delete(key(i - 1000));
    }
    expect([...tree.entries("", "~", false)]).toHaveLength(1000);
    for (let i = 19_000; i < 20_000; i += 1) tree.delete(key(i));
    expect([...tree.entries("", "~", false)]).toEqual([]);
    tree.put("again", "v");
    expect(tree.get("again")).toBe("v");
  });
});

function never(): never {
  throw new RangeError("not asked for");
}
