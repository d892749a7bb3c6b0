/**
 * Ready jobs of one queue, best first: lowest priority, then smallest id.
 *
 *   priority 0      ──  lane: a ── b ── c            jobs that came in the order of their ids, first to last
 *   priority 32768  ──  lane: d ── e
 *   late: a heap of the jobs whose place is in the middle of a lane (retried, promoted, requeued)
 *
 * A job that fits at an end of its lane is linked there in one step. One that belongs in the middle waits in the heap, which
 * is asked together with the lanes, so it runs in its place all the same.
 */
import { IndexedHeap } from "../base/indexed-heap.ts";
import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";
import { Lanes } from "./lanes.ts";

export class ReadyQueue {
  readonly #rows: JobRows;
  readonly #lanes: Lanes;
  #late: IndexedHeap | undefined;
  #best: Slot = -1;
  #size = 0;
  /** Where this queue is in the heap of queues; kept here for that heap. */
  position = 0;

  constructor(rows: JobRows) {
    this.#rows = rows;
    this.#lanes = new Lanes(rows);
  }

  get size(): number {
    return this.#size;
  }

  /** The job that runs next; -1 = none. */
  get best(): Slot {
    return this.#best;
  }

  /** Whether the best job is another one now. */
  add(slot: Slot): boolean {
    const priority = this.#rows.priority(slot);
    const lane = this.#lanes.get(priority) ?? this.#lanes.add(priority);
    if (lane.last < 0 || this.#rows.compareIds(slot, lane.last) > 0) lane.append(slot);
    else if (this.#rows.compareIds(slot, lane.first) < 0) lane.prepend(slot);
    else this.#addLate(slot);
    this.#size += 1;
    if (this.#best >= 0 && this.#rows.runsBefore(this.#best, slot)) return false;
    this.#best = slot;
    return true;
  }

  /** Takes out a job that is here, with the priority it had when it came. Whether the best job is another one now. */
  remove(slot: Slot): boolean {
    if (this.#rows.isInHeap(slot)) {
      this.#late?.removeAt(this.#rows.position(slot));
    } else {
      const lane = this.#lanes.get(this.#rows.priority(slot));
      lane?.remove(slot);
      if (lane?.length === 0) this.#lanes.delete(lane);
    }
    this.#size -= 1;
    if (slot !== this.#best) return false;
    this.#best = this.#findBest();
    return true;
  }

  /** Every job here, in no particular order. */
  *[Symbol.iterator](): Generator<Slot> {
    for (const lane of this.#lanes) yield* lane;
    if (this.#late !== undefined) yield* this.#late;
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    const rows = this.#rows;
    let found = 0;
    let best: Slot = -1;
    for (const slot of this) {
      found += 1;
      if (rows.status(slot) !== "ready") yield `slot ${slot} is ready here and ${rows.status(slot)} in the table`;
      if (best < 0 || rows.runsBefore(slot, best)) best = slot;
    }
    if (found !== this.#size) yield `${found} ready jobs are here, ${this.#size} were counted`;
    if (best !== this.#best) yield `slot ${best} is the best, ${this.#best} was said to be`;
    for (const lane of this.#lanes) {
      yield* lane.faults();
      let before: Slot = -1;
      for (const slot of lane) {
        if (rows.priority(slot) !== lane.priority) yield `slot ${slot} is in the lane of another priority`;
        if (before >= 0 && rows.compareIds(before, slot) >= 0) yield `slot ${slot} is in its lane behind a newer job`;
        before = slot;
      }
      if (lane.length === 0) yield `lane ${lane.priority} is empty`;
    }
    if (this.#late !== undefined) yield* this.#late.faults((slot) => rows.position(slot));
  }

  #addLate(slot: Slot): void {
    const rows = this.#rows;
    this.#late ??= new IndexedHeap({
      isBefore: (a, b) => rows.runsBefore(a, b),
      moved: (late, position) => rows.setPosition(late, position),
    });
    this.#late.push(slot);
  }

  #findBest(): Slot {
    const inLane = this.#lanes.first?.first ?? -1;
    const late = this.#late?.first ?? -1;
    if (late < 0) return inLane;
    return inLane < 0 || this.#rows.runsBefore(late, inLane) ? late : inLane;
  }
}
