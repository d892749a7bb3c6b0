/**
 * A heap of non-negative integers that tells its items where they are, so that any of them can leave from the middle in
 * O(log n). What the integers stand for, and where their positions are kept, is the owner's business.
 *
 * It grows by chunks. Only the first chunk, which alone serves the many small heaps, starts small and is copied as it grows.
 */
import { invariant } from "./assert.ts";

/** Who orders the items and remembers their positions. */
export interface HeapOwner {
  /** Whether `a` leaves before `b`; a strict order without ties. Never asked about an item that was removed. */
  isBefore(a: number, b: number): boolean;
  /** `item` is at `position` from now on. Not called for an item that leaves. */
  moved(item: number, position: number): void;
}

/** Four children: half as deep as a binary heap, and the children share a cache line. */
const arity = 4;
const chunkBits = 14;
const chunkItems = 1 << chunkBits;
const firstChunkItemsMin = 4;

export class IndexedHeap implements Iterable<number> {
  readonly #owner: HeapOwner;
  readonly #chunks: Uint32Array[] = [];
  #size = 0;

  constructor(owner: HeapOwner) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#size;
  }

  /** The item that leaves first; -1 when there is none. */
  get first(): number {
    return this.#size === 0 ? -1 : this.#at(0);
  }

  push(item: number): void {
    this.#makeRoom();
    this.#size += 1;
    this.#rise(item, this.#size - 1);
  }

  /** The item at `position` leaves. */
  removeAt(position: number): void {
    invariant(position < this.#size, "no item of the heap is there");
    const last = this.#at(this.#size - 1);
    this.#size -= 1;
    this.#giveRoomBack();
    if (position < this.#size) this.#settle(last, position);
  }

  /** The item at `position` changed its place in the order. */
  update(position: number): void {
    invariant(position < this.#size, "no item of the heap is there");
    this.#settle(this.#at(position), position);
  }

  /** All items, in no particular order; void after the next change. */
  *[Symbol.iterator](): Generator<number> {
    for (let position = 0; position < this.#size; position += 1) yield this.#at(position);
  }

  /** What is out of order; nothing when all is well. `positionOf` is what the owner remembers. */
  *faults(positionOf: (item: number) => number): Generator<string> {
    for (let position = 0; position < this.#size; position += 1) {
      const item = this.#at(position);
      if (positionOf(item) !== position) yield `item ${item} is at ${position}, its owner says ${positionOf(item)}`;
      const parent = (position - 1) >> 2;
      if (position > 0 && this.#owner.isBefore(item, this.#at(parent))) yield `item ${item} is below a later one`;
    }
  }

  #settle(item: number, position: number): void {
    const parent = (position - 1) >> 2;
    if (position > 0 && this.#owner.isBefore(item, this.#at(parent))) this.#rise(item, position);
    else this.#sink(item, position);
  }

  /** Puts `item` at the hole `position` or above it. */
  #rise(item: number, position: number): void {
    let hole = position;
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      const above = this.#at(parent);
      if (!this.#owner.isBefore(item, above)) break;
      this.#put(above, hole);
      hole = parent;
    }
    this.#put(item, hole);
  }

  /** Puts `item` at the hole `position` or below it. */
  #sink(item: number, position: number): void {
    let hole = position;
    for (;;) {
      const child = hole * arity + 1;
      if (child >= this.#size) break;
      const end = Math.min(child + arity, this.#size);
      let best = child;
      let bestItem = this.#at(child);
      for (let other = child + 1; other < end; other += 1) {
        const otherItem = this.#at(other);
        if (this.#owner.isBefore(otherItem, bestItem)) {
          best = other;
          bestItem = otherItem;
        }
      }
      if (!this.#owner.isBefore(bestItem, item)) break;
      this.#put(bestItem, hole);
      hole = best;
    }
    this.#put(item, hole);
  }

  #at(position: number): number {
    const chunk = this.#chunks[position >> chunkBits];
    return chunk === undefined ? 0 : (chunk[position & (chunkItems - 1)] ?? 0);
  }

  #put(item: number, position: number): void {
    const chunk = this.#chunks[position >> chunkBits];
    if (chunk !== undefined) chunk[position & (chunkItems - 1)] = item;
    this.#owner.moved(item, position);
  }

  #makeRoom(): void {
    if (this.#size >= chunkItems) {
      if (this.#size >> chunkBits === this.#chunks.length) this.#chunks.push(new Uint32Array(chunkItems));
      return;
    }
    const first = this.#chunks[0];
    if (first !== undefined && this.#size < first.length) return;
    const larger = new Uint32Array(Math.max(firstChunkItemsMin, this.#size * 2));
    if (first !== undefined) larger.set(first);
    this.#chunks[0] = larger;
  }

  /** One whole empty chunk is kept, so that a heap on the border between two does not make and drop one all the time. */
  #giveRoomBack(): void {
    if (this.#chunks.length > 2 && this.#size <= (this.#chunks.length - 2) * chunkItems) this.#chunks.pop();
  }
}
