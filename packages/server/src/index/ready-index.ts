/**
 * What runs next, over all queues or over some: the best job of each queue is known, and a heap orders the queues by it.
 * Nothing stale is ever in here: a job that leaves is unlinked at once, wherever it was.
 */
import { invariant } from "../base/assert.ts";
import { IndexedHeap } from "../base/indexed-heap.ts";
import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";
import { ReadyQueue } from "./ready-queue.ts";

export class ReadyIndex {
  readonly #rows: JobRows;
  /** By number of the queue (`kinds.ts`); there while the queue has a ready job. */
  readonly #queues: (ReadyQueue | undefined)[] = [];
  /** Numbers of queues, the one with the best job first. */
  readonly #heads: IndexedHeap;
  #size = 0;

  constructor(rows: JobRows) {
    this.#rows = rows;
    this.#heads = new IndexedHeap({
      isBefore: (a, b) => rows.runsBefore(this.bestOf(a), this.bestOf(b)),
      moved: (queue, position) => {
        this.#queue(queue).position = position;
      },
    });
  }

  get size(): number {
    return this.#size;
  }

  /** Best job over all queues; -1 = none is ready. */
  get best(): Slot {
    return this.#heads.size === 0 ? -1 : this.bestOf(this.#heads.first);
  }

  /** Best job of a queue; -1 = none is ready. */
  bestOf(queue: number): Slot {
    return this.#queues[queue]?.best ?? -1;
  }

  /** A job of this queue became ready. Its row says what priority it has. */
  add(slot: Slot, queue: number): void {
    this.#size += 1;
    const home = this.#queues[queue];
    if (home !== undefined) {
      if (home.add(slot)) this.#heads.update(home.position);
      return;
    }
    const first = new ReadyQueue(this.#rows);
    first.add(slot);
    this.#queues[queue] = first;
    this.#heads.push(queue);
  }

  /** Takes out a job that is here; its row still says what it said when it came. */
  remove(slot: Slot, queue: number): void {
    this.#size -= 1;
    const home = this.#queue(queue);
    const bestChanged = home.remove(slot);
    if (home.size === 0) {
      this.#heads.removeAt(home.position);
      this.#queues[queue] = undefined;
    } else if (bestChanged) {
      this.#heads.update(home.position);
    }
  }

  /** What is broken; nothing when all is well. `queueOf` is what the table says. */
  *faults(queueOf: (slot: Slot) => number): Generator<string> {
    let jobs = 0;
    let queues = 0;
    for (const [number, queue] of this.#queues.entries()) {
      if (queue === undefined) continue;
      jobs += queue.size;
      queues += 1;
      if (queue.size === 0) yield `queue ${number} is empty`;
      yield* queue.faults();
      for (const slot of queue) if (queueOf(slot) !== number) yield `slot ${slot} is ready in another's queue`;
    }
    if (jobs !== this.#size) yield `${jobs} ready jobs are in queues, ${this.#size} were counted`;
    if (queues !== this.#heads.size) yield `${queues} queues have ready jobs, ${this.#heads.size} are in order`;
    yield* this.#heads.faults((queue) => this.#queues[queue]?.position ?? -1);
  }

  #queue(number: number): ReadyQueue {
    const queue = this.#queues[number];
    invariant(queue !== undefined, "a ready job's queue has no ready jobs");
    return queue;
  }
}
