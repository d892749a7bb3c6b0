import { IndexedHeap } from "../base/indexed-heap.ts";
import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";

/** Jobs that wait for their time, the one that is due first in front; those of one instant by id. */
export class ScheduledIndex implements Iterable<Slot> {
  readonly #rows: JobRows;
  readonly #heap: IndexedHeap;

  constructor(rows: JobRows) {
    this.#rows = rows;
    this.#heap = new IndexedHeap({
      isBefore: (a, b) => rows.isDueBefore(a, b),
      moved: (slot, position) => rows.setPosition(slot, position),
    });
  }

  get size(): number {
    return this.#heap.size;
  }

  /** -1 = nothing is scheduled. */
  get first(): Slot {
    return this.#heap.first;
  }

  /** The row says when the job is due. */
  add(slot: Slot): void {
    this.#heap.push(slot);
  }

  /** Takes out a job that is here; its row still says what it said when it came. */
  remove(slot: Slot): void {
    this.#heap.removeAt(this.#rows.position(slot));
  }

  /** In no particular order; void after the next change. */
  [Symbol.iterator](): Iterator<Slot> {
    return this.#heap[Symbol.iterator]();
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    for (const slot of this) {
      const status = this.#rows.status(slot);
      if (status !== "scheduled") yield `slot ${slot} is scheduled here and ${status} in the table`;
    }
    yield* this.#heap.faults((slot) => this.#rows.position(slot));
  }
}
