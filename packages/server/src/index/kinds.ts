/**
 * The queues and types of live jobs. A kind is a pair of a queue and a type; a job's row holds its number instead of two
 * names. The numbers of jobs per kind and status are at once the counters that `/jobs/count` reads and the references that
 * keep a name here, so neither can drift from the other: a name goes with its last job, however many names there were.
 */
import type { QueueName, TypeName } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import type { LiveStatus } from "./job-rows.ts";
import { Numbered } from "./numbered.ts";

/** A queue with at least one live job. Its number is given to another queue once it is gone. */
export interface LiveQueue {
  readonly number: number;
  readonly name: QueueName;
  readonly kinds: Map<string, Kind>;
}

export interface Kind {
  readonly number: number;
  readonly queue: LiveQueue;
  readonly type: TypeName;
  readonly counts: Record<LiveStatus, number>;
}

export class Kinds {
  readonly #queues = new Map<string, LiveQueue>();
  readonly #kinds = new Numbered<Kind>();
  readonly #queueNumbers = new Numbered<LiveQueue>();

  /** Queues that have a live job. */
  get queues(): ReadonlyMap<string, LiveQueue> {
    return this.#queues;
  }

  /** No kind has a number from here on. */
  get numbersEnd(): number {
    return this.#kinds.end;
  }

  /** Counts one more job of this queue and type. */
  add(queue: QueueName, type: TypeName, status: LiveStatus): Kind {
    const home = this.#queues.get(queue) ?? this.#addQueue(queue);
    const kind = home.kinds.get(type) ?? this.#addKind(home, type);
    kind.counts[status] += 1;
    return kind;
  }

  /** A job of this kind changed its status. */
  move(number: number, from: LiveStatus, to: LiveStatus): void {
    const { counts } = this.at(number);
    counts[from] -= 1;
    counts[to] += 1;
  }

  /** A job of this kind is gone; with the last one the names are. */
  remove(number: number, status: LiveStatus): void {
    const kind = this.at(number);
    kind.counts[status] -= 1;
    if (countOf(kind) > 0) return;
    this.#kinds.remove(number);
    kind.queue.kinds.delete(kind.type);
    if (kind.queue.kinds.size > 0) return;
    this.#queueNumbers.remove(kind.queue.number);
    this.#queues.delete(kind.queue.name);
  }

  at(number: number): Kind {
    const kind = this.#kinds.get(number);
    invariant(kind !== undefined, "a live job is of a kind that is not there");
    return kind;
  }

  #addQueue(name: QueueName): LiveQueue {
    const queue: LiveQueue = { number: this.#queueNumbers.next, name, kinds: new Map() };
    this.#queueNumbers.add(queue);
    this.#queues.set(name, queue);
    return queue;
  }

  #addKind(queue: LiveQueue, type: TypeName): Kind {
    const counts = { scheduled: 0, ready: 0, in_flight: 0 };
    const kind: Kind = { number: this.#kinds.next, queue, type, counts };
    this.#kinds.add(kind);
    queue.kinds.set(type, kind);
    return kind;
  }
}

/** Live jobs of a kind, whatever their status. */
export function countOf({ counts }: Kind): number {
  return counts.scheduled + counts.ready + counts.in_flight;
}
