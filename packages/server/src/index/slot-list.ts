import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";

/**
 * A list of slots linked through their rows: entering at either end and leaving from anywhere take one step, and nothing is
 * left behind that would have to be cleaned up later. A slot is in one list at most.
 */
export class SlotList {
  readonly #rows: JobRows;
  #first: Slot = -1;
  #last: Slot = -1;
  #length = 0;

  constructor(rows: JobRows) {
    this.#rows = rows;
  }

  /** -1 = empty. */
  get first(): Slot {
    return this.#first;
  }

  /** -1 = empty. */
  get last(): Slot {
    return this.#last;
  }

  get length(): number {
    return this.#length;
  }

  append(slot: Slot): void {
    this.#rows.setPrevious(slot, this.#last);
    this.#rows.setNext(slot, -1);
    if (this.#last < 0) this.#first = slot;
    else this.#rows.setNext(this.#last, slot);
    this.#last = slot;
    this.#length += 1;
  }

  prepend(slot: Slot): void {
    this.#rows.setPrevious(slot, -1);
    this.#rows.setNext(slot, this.#first);
    if (this.#first < 0) this.#last = slot;
    else this.#rows.setPrevious(this.#first, slot);
    this.#first = slot;
    this.#length += 1;
  }

  /** `slot` must be in this list. */
  remove(slot: Slot): void {
    const before = this.#rows.previous(slot);
    const after = this.#rows.next(slot);
    if (before < 0) this.#first = after;
    else this.#rows.setNext(before, after);
    if (after < 0) this.#last = before;
    else this.#rows.setPrevious(after, before);
    this.#length -= 1;
  }

  /** From the first to the last; void after the next change. */
  *[Symbol.iterator](): Generator<Slot> {
    let slot = this.#first;
    // Bounded by the length, so that a list that bit itself in the tail is a fault and not a hang.
    for (let left = this.#length; left > 0 && slot >= 0; left -= 1) {
      yield slot;
      slot = this.#rows.next(slot);
    }
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    let before = -1;
    let found = 0;
    for (const slot of this) {
      if (this.#rows.previous(slot) !== before) yield `slot ${slot} does not name its neighbour ${before}`;
      before = slot;
      found += 1;
    }
    if (found !== this.#length) yield `${found} slots are linked, ${this.#length} were counted`;
    if (before !== this.#last || (before >= 0 && this.#rows.next(before) >= 0))
      yield "the list does not end at its last";
  }
}
