/** Which jobs a filter means. Filters are ANDed, the values of a list ORed (http-api.md 4.3). */
import type { JobId, U64 } from "@millrace/protocol/ids";
import type { Status } from "@millrace/protocol/job-view";
import type { Job } from "./job.ts";

/** An inclusive range. */
export interface Range<T> {
  readonly min: T;
  readonly max: T;
}

/** An absent member does not filter; an empty set matches nothing. */
export interface JobFilter {
  readonly ids?: ReadonlySet<JobId>;
  readonly statuses?: ReadonlySet<Status>;
  readonly queues?: ReadonlySet<string>;
  readonly types?: ReadonlySet<string>;
  readonly priority?: Range<number>;
  readonly readyAt?: Range<U64>;
  readonly attempts?: Range<number>;
}

export function matches(filter: JobFilter, job: Job): boolean {
  return (
    (filter.statuses?.has(job.status) ?? true) &&
    (filter.queues?.has(job.queue) ?? true) &&
    (filter.types?.has(job.type) ?? true) &&
    (filter.ids?.has(job.id) ?? true) &&
    within(filter.priority, job.priority) &&
    within(filter.readyAt, job.readyAt) &&
    within(filter.attempts, job.attempts)
  );
}

/** Whether any finished job could match: most lists ask for live ones only, and need not look at the store's. */
export function wantsFinished(filter: JobFilter): boolean {
  return filter.statuses === undefined || filter.statuses.has("completed") || filter.statuses.has("dead");
}

/** Whether any live job could match. */
export function wantsLive(filter: JobFilter): boolean {
  const { statuses } = filter;
  return statuses === undefined || statuses.has("scheduled") || statuses.has("ready") || statuses.has("in_flight");
}

/** Whether the counters by queue, type and status answer the filter alone. */
export function isCounted(filter: JobFilter): boolean {
  return (
    filter.ids === undefined &&
    filter.priority === undefined &&
    filter.readyAt === undefined &&
    filter.attempts === undefined
  );
}

function within<T extends U64>(range: Range<T> | undefined, value: T): boolean {
  return range === undefined || (range.min <= value && value <= range.max);
}
