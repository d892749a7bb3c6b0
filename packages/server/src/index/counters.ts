/** How many jobs there are by status, queue and type, without looking at one. */
import type { Status } from "@millrace/protocol/job-view";
import type { JobFilter } from "../job/job-filter.ts";
import type { LiveStatus } from "./job-rows.ts";
import type { Kind, Kinds } from "./kinds.ts";

/** The part of a filter that counters can answer. */
export type CountedFilter = Pick<JobFilter, "statuses" | "queues" | "types">;

export type FinishedStatus = "completed" | "dead";

const liveStatuses: readonly LiveStatus[] = ["scheduled", "ready", "in_flight"];
const finishedStatuses: readonly FinishedStatus[] = ["completed", "dead"];

/** The number of live jobs that the filter means. */
export function countLive(kinds: Kinds, filter: CountedFilter): number {
  const statuses = liveStatuses.filter((status) => wants(filter.statuses, status));
  return countEach(
    filter,
    kinds.queues,
    (queue) => queue.kinds,
    (kind: Kind) => sum(kind.counts, statuses),
  );
}

/** One number of finished jobs, as the store keeps it. */
export interface FinishedCount {
  readonly status: FinishedStatus;
  readonly queue: string;
  readonly type: string;
  /** Not 0. */
  readonly count: number;
}

/** Numbers of jobs that are over and kept. Those jobs are on disk only; names go with their last job here as well. */
export class FinishedCounts {
  readonly #queues = new Map<string, Map<string, Record<FinishedStatus, number>>>();

  /** What the store said at start. */
  set(status: FinishedStatus, queue: string, type: string, count: number): void {
    let types = this.#queues.get(queue);
    if (types === undefined) {
      types = new Map();
      this.#queues.set(queue, types);
    }
    let counts = types.get(type);
    if (counts === undefined) {
      counts = { completed: 0, dead: 0 };
      types.set(type, counts);
    }
    counts[status] = count;
    if (counts.completed > 0 || counts.dead > 0) return;
    types.delete(type);
    if (types.size === 0) this.#queues.delete(queue);
  }

  /**
   * One more, or one less.
   * @returns the number to store; never below 0, whatever a damaged count was read as
   */
  add(status: FinishedStatus, queue: string, type: string, by: 1 | -1): number {
    const count = Math.max(0, this.get(status, queue, type) + by);
    this.set(status, queue, type, count);
    return count;
  }

  get(status: FinishedStatus, queue: string, type: string): number {
    return this.#queues.get(queue)?.get(type)?.[status] ?? 0;
  }

  /** The number of finished jobs that the filter means. */
  count(filter: CountedFilter): number {
    const statuses = finishedStatuses.filter((status) => wants(filter.statuses, status));
    return countEach(
      filter,
      this.#queues,
      (types) => types,
      (counts) => sum(counts, statuses),
    );
  }

  /** Queues with a finished job. */
  queueNames(): Iterable<string> {
    return this.#queues.keys();
  }

  /** Every number that is not 0. */
  *entries(): Generator<FinishedCount> {
    for (const [queue, types] of this.#queues) {
      for (const [type, counts] of types) {
        for (const status of finishedStatuses) {
          if (counts[status] > 0) yield { status, queue, type, count: counts[status] };
        }
      }
    }
  }
}

/** Adds up over queues and types, looking names up where the filter lists them. */
function countEach<Queue, Counts>(
  filter: CountedFilter,
  queues: ReadonlyMap<string, Queue>,
  typesOf: (queue: Queue) => ReadonlyMap<string, Counts>,
  countOf: (counts: Counts) => number,
): number {
  let total = 0;
  for (const queue of chosen(filter.queues, queues)) {
    for (const counts of chosen(filter.types, typesOf(queue))) total += countOf(counts);
  }
  return total;
}

function* chosen<T>(names: ReadonlySet<string> | undefined, all: ReadonlyMap<string, T>): Generator<T> {
  if (names === undefined) {
    yield* all.values();
    return;
  }
  for (const name of names) {
    const found = all.get(name);
    if (found !== undefined) yield found;
  }
}

function wants(statuses: ReadonlySet<Status> | undefined, status: Status): boolean {
  return statuses === undefined || statuses.has(status);
}

function sum<S extends string>(counts: Readonly<Record<S, number>>, statuses: readonly S[]): number {
  let total = 0;
  for (const status of statuses) total += counts[status];
  return total;
}
