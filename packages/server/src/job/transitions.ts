/**
 * The life of a job. The signatures are the diagram of docs/states.md: an arrow that is not there does not compile. Pure
 * (R2): values in, values out; no clock, store or index. Each result is spelled out member by member: all jobs of one
 * status then share a hidden class, nothing of the old status slips into the new one, and a spread of so many members costs
 * a hundred times as much.
 */
import type { DeliveryToken, Instant, JobId, U64 } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import { unreachable } from "../base/assert.ts";
import type {
  CompletedJob,
  DeadJob,
  Failure,
  InFlightJob,
  JobRequest,
  LiveJob,
  ReadyJob,
  ScheduledJob,
} from "./job.ts";
import { judge, laterBy, type RetryDefaults } from "./retry-policy.ts";

/** How long the server keeps finished jobs that do not say it themselves, milliseconds; 0 = not at all. */
export interface RetentionDefaults {
  readonly completedMs: U64;
  readonly deadMs: U64;
}

/** A request becomes a job: scheduled when its time is ahead, else ready. */
export function admit(request: JobRequest, id: JobId, now: Instant): ReadyJob | ScheduledJob {
  const readyAt = request.readyAt ?? now;
  const { queue, type, priority, options } = request;
  if (clampU64(readyAt) > now) {
    return {
      id,
      queue,
      type,
      priority,
      readyAt,
      attempts: 0,
      lost: 0,
      dequeuedAt: undefined,
      failedAt: undefined,
      options,
      status: "scheduled",
      because: "delay",
    };
  }
  return {
    id,
    queue,
    type,
    priority,
    readyAt,
    attempts: 0,
    lost: 0,
    dequeuedAt: undefined,
    failedAt: undefined,
    options,
    status: "ready",
  };
}

/** A worker gets the job. */
export function claim(job: ReadyJob, delivery: DeliveryToken, now: Instant): InFlightJob {
  return {
    id: job.id,
    queue: job.queue,
    type: job.type,
    priority: job.priority,
    readyAt: job.readyAt,
    attempts: job.attempts,
    lost: job.lost,
    dequeuedAt: now,
    failedAt: job.failedAt,
    options: job.options,
    status: "in_flight",
    delivery,
  };
}

/** A worker vanished (`lost`), or the server stops (not its fault): same id, same place, `attempts` unchanged. */
export function requeue(job: InFlightJob, cause: "lost" | "shutdown"): ReadyJob {
  return readyAgain(job, job.dequeuedAt, cause === "lost" ? job.lost + 1 : job.lost);
}

/** The job's time has come; `readyAt` stays. */
export function promote(job: ScheduledJob): ReadyJob {
  return readyAgain(job, job.dequeuedAt, job.lost);
}

/** A new life finds a job that nobody holds any more; what its last claim knew is kept. */
export function recover(
  job: ScheduledJob | ReadyJob,
  claim: { readonly dequeuedAt: Instant; readonly lost: number } | undefined,
): ReadyJob {
  return readyAgain(job, claim?.dequeuedAt ?? job.dequeuedAt, claim?.lost ?? job.lost);
}

function readyAgain(job: LiveJob, dequeuedAt: Instant | undefined, lost: number): ReadyJob {
  return {
    id: job.id,
    queue: job.queue,
    type: job.type,
    priority: job.priority,
    readyAt: job.readyAt,
    attempts: job.attempts,
    lost,
    dequeuedAt,
    failedAt: job.failedAt,
    options: job.options,
    status: "ready",
  };
}

/** The worker did it. */
export function complete(job: InFlightJob, now: Instant, defaults: RetentionDefaults): CompletedJob {
  return {
    id: job.id,
    queue: job.queue,
    type: job.type,
    priority: job.priority,
    readyAt: job.readyAt,
    attempts: job.attempts,
    lost: job.lost,
    dequeuedAt: job.dequeuedAt,
    failedAt: job.failedAt,
    options: job.options,
    status: "completed",
    completedAt: now,
    purgeAt: purgeTime(now, job.options.completedRetentionMs ?? defaults.completedMs),
  };
}

/**
 * The worker could not do it: `attempts` goes up by one, then the verdict of {@link judge} decides.
 * @param chance uniform in [0, 1), for the jitter
 */
export function fail(
  job: InFlightJob,
  failure: Failure,
  now: Instant,
  chance: number,
  retry: RetryDefaults,
  retention: RetentionDefaults,
): ScheduledJob | DeadJob {
  const attempts = job.attempts + 1;
  const verdict = judge(failure, job.options, attempts, now, chance, retry);
  switch (verdict.kind) {
    case "retry":
      return {
        id: job.id,
        queue: job.queue,
        type: job.type,
        priority: job.priority,
        readyAt: verdict.readyAt,
        attempts,
        lost: job.lost,
        dequeuedAt: job.dequeuedAt,
        failedAt: now,
        options: job.options,
        status: "scheduled",
        because: "retry",
      };
    case "dead":
      return {
        id: job.id,
        queue: job.queue,
        type: job.type,
        priority: job.priority,
        readyAt: job.readyAt,
        attempts,
        lost: job.lost,
        dequeuedAt: job.dequeuedAt,
        failedAt: now,
        options: job.options,
        status: "dead",
        reason: verdict.reason,
        purgeAt: purgeTime(now, job.options.deadRetentionMs ?? retention.deadMs),
      };
    default:
      return unreachable(verdict);
  }
}

function purgeTime(now: Instant, retentionMs: U64): U64 | undefined {
  return retentionMs === 0 ? undefined : laterBy(now, retentionMs);
}
