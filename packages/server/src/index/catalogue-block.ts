import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";

const placeBits = 9;
/** Places of a block. */
export const blockPlaces = 1 << placeBits;
const hole = 0;

/** The number of the block in which a seat is. */
export function blockOf(seat: number): number {
  return seat >>> placeBits;
}

/**
 * Up to 512 slots in the order of their ids. A job's seat is its block and place, so it can leave without being searched
 * for; it leaves a hole, except at the end, so that the last place is always taken.
 */
export class Block {
  readonly number: number;
  /** Words of an id: not above any id in here, and above all ids of the blocks before this one. */
  readonly bound = new Uint32Array(4);
  readonly #rows: JobRows;
  /** Slot plus 1, or a hole; without meaning from the length on. */
  readonly #places = new Uint32Array(blockPlaces);
  #length = 0;
  #live = 0;

  constructor(rows: JobRows, number: number) {
    this.#rows = rows;
    this.number = number;
  }

  /** Jobs in this block. */
  get live(): number {
    return this.#live;
  }

  /** Places in use, holes included. */
  get length(): number {
    return this.#length;
  }

  /** The slot at a place; -1 = a hole. */
  at(place: number): Slot {
    return (this.#places[place] ?? hole) - 1;
  }

  /** -1 = empty. */
  get last(): Slot {
    return this.at(this.#length - 1);
  }

  /** The block's bound becomes the id of this job. */
  boundBy(slot: Slot): void {
    this.#rows.copyId(slot, this.bound);
  }

  /** At the end; there must be room. */
  append(slot: Slot): void {
    this.#put(slot, this.#length);
    this.#length += 1;
    this.#live += 1;
  }

  /** In its place in the middle; there must be room without the holes. */
  insert(slot: Slot): void {
    this.#close();
    let place = this.#length;
    for (; place > 0 && this.#rows.compareIds(this.at(place - 1), slot) > 0; place -= 1) {
      this.#put(this.at(place - 1), place);
    }
    this.#put(slot, place);
    this.#length += 1;
    this.#live += 1;
  }

  remove(seat: number): void {
    this.#places[seat & (blockPlaces - 1)] = hole;
    this.#live -= 1;
    while (this.#length > 0 && this.#places[this.#length - 1] === hole) this.#length -= 1;
  }

  /** The upper half moves to an empty block. */
  splitInto(upper: Block): void {
    this.#close();
    const half = this.#length >> 1;
    upper.boundBy(this.at(half));
    for (let place = half; place < this.#length; place += 1) upper.append(this.at(place));
    this.#length = half;
    this.#live = half;
  }

  /** All of the next block moves in here; there must be room without the holes. */
  absorb(upper: Block): void {
    this.#close();
    for (let place = 0; place < upper.length; place += 1) if (upper.at(place) >= 0) this.append(upper.at(place));
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    const rows = this.#rows;
    let live = 0;
    let before: Slot = -1;
    for (let place = 0; place < this.#length; place += 1) {
      const slot = this.at(place);
      if (slot < 0) continue;
      live += 1;
      if (rows.seat(slot) !== this.#seat(place)) yield `slot ${slot} does not know its seat`;
      if (rows.compareId(slot, this.bound) < 0) yield `slot ${slot} is below the bound of its block`;
      if (before >= 0 && rows.compareIds(before, slot) >= 0) yield `slot ${slot} is listed behind a newer job`;
      before = slot;
    }
    if (live !== this.#live) yield `block ${this.number} has ${live} jobs, ${this.#live} were counted`;
  }

  #close(): void {
    if (this.#live === this.#length) return;
    let end = 0;
    for (let place = 0; place < this.#length; place += 1) {
      const slot = this.at(place);
      if (slot < 0) continue;
      this.#put(slot, end);
      end += 1;
    }
    this.#length = end;
  }

  #put(slot: Slot, place: number): void {
    this.#places[place] = slot + 1;
    this.#rows.setSeat(slot, this.#seat(place));
  }

  #seat(place: number): number {
    return (this.number << placeBits) | place;
  }
}
