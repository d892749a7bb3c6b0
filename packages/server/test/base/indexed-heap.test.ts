import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { IndexedHeap } from "../../src/base/indexed-heap.ts";

/** A heap of item numbers by a weight that can be changed; ties by number. */
class Weighted {
  readonly weights = new Map<number, number>();
  readonly positions = new Map<number, number>();
  readonly heap = new IndexedHeap({
    isBefore: (a, b) => this.key(a) < this.key(b) || (this.key(a) === this.key(b) && a < b),
    moved: (item, position) => this.positions.set(item, position),
  });

  key(item: number): number {
    return this.weights.get(item) ?? Number.NaN;
  }

  positionOf(item: number): number {
    return this.positions.get(item) ?? -1;
  }

  push(item: number, weight: number): void {
    this.weights.set(item, weight);
    this.heap.push(item);
  }

  remove(item: number): void {
    this.heap.removeAt(this.positionOf(item));
    this.weights.delete(item);
  }

  get expectedFirst(): number {
    const items = [...this.weights.keys()].sort((a, b) => this.key(a) - this.key(b) || a - b);
    return items[0] ?? -1;
  }

  drain(): number[] {
    const drained: number[] = [];
    for (let item = this.heap.first; item >= 0; item = this.heap.first) {
      drained.push(item);
      this.remove(item);
    }
    return drained;
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("push" as const), weight: fc.nat(20) }),
  fc.record({ kind: fc.constant("remove" as const), pick: fc.nat(1_000) }),
  fc.record({ kind: fc.constant("update" as const), pick: fc.nat(1_000), weight: fc.nat(20) }),
);

describe("an indexed heap", () => {
  test("agrees with a sorted array after any sequence of changes", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 150, size: "max" }), (steps) => {
        const heap = new Weighted();
        for (const [number, change] of steps.entries()) {
          const items = [...heap.weights.keys()];
          if (change.kind === "push") {
            heap.push(number, change.weight);
          } else if (items.length > 0) {
            const item = items[change.pick % items.length] ?? 0;
            if (change.kind === "remove") {
              heap.remove(item);
            } else {
              heap.weights.set(item, change.weight);
              heap.heap.update(heap.positionOf(item));
            }
          }
          expect(heap.heap.first).toBe(heap.expectedFirst);
          expect([...heap.heap.faults((item) => heap.positionOf(item))]).toEqual([]);
        }
        expect([...heap.heap].sort()).toEqual([...heap.weights.keys()].sort());
      }),
    );
  });

  test("is empty at first and says so with -1", () => {
    const { heap } = new Weighted();
    expect([heap.first, heap.size]).toEqual([-1, 0]);
  });

  test("keeps the order across many chunks, growing and shrinking", () => {
    const heap = new Weighted();
    const count = 50_000;
    for (let item = 0; item < count; item += 1) heap.push(item, (item * 7_919) % count);
    expect([...heap.heap.faults((item) => heap.positionOf(item))]).toEqual([]);
    const drained = heap.drain().map((item) => (item * 7_919) % count);
    expect(drained).toEqual(Array.from({ length: count }, (_, weight) => weight));
    heap.push(1, 1);
    expect(heap.heap.first).toBe(1);
  });

  test("refuses a position that nothing is at", () => {
    const { heap } = new Weighted();
    expect(() => heap.removeAt(0)).toThrow(BrokenInvariant);
    expect(() => heap.update(3)).toThrow(BrokenInvariant);
  });

  test("tells when an item is not where its owner thinks, or below a later one", () => {
    const heap = new Weighted();
    heap.push(1, 1);
    heap.push(2, 2);
    heap.weights.set(1, 3);
    expect([...heap.heap.faults((item) => heap.positionOf(item))]).toEqual(["item 2 is below a later one"]);
    expect([...heap.heap.faults(() => 0)]).toContain("item 2 is at 1, its owner says 0");
  });
});
