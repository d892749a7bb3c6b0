/**
 * The wire's names and this library's, side by side: the only file that knows both. Numbers of 64 bits that the wire
 * writes exactly are read as doubles, clamped to 2^53 - 1: as times they are beyond any calendar.
 */
import { QueueError } from "@millrace/protocol/errors";
import { clampU64 } from "@millrace/protocol/ids";
import type { BackoffView, ErrorRecordView, JobView, RetentionView } from "@millrace/protocol/job-view";
import type {
  Ack,
  Backoff,
  EnqueuedJob,
  ErrorRecord,
  Failure,
  Job,
  JobInfo,
  NewJob,
  Retention,
  TakenJob,
} from "./job.ts";
import { isWellFormed, plainPayload } from "./payload.ts";

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** 1 January 2001 in milliseconds; as seconds it would be in the year 32 970. */
const SECONDS_LIKE_BELOW_MS = 978_307_200_000;

const newJobOptions: ReadonlySet<string> = new Set<keyof NewJob>([
  "type",
  "queue",
  "payload",
  "priority",
  "readyAt",
  "retryLimit",
  "backoff",
  "retention",
]);

/** The body that asks for a job. INVALID_FIELD: see {@link NewJob}; what only the server can judge is left to it. */
export function toEnqueueBody(job: NewJob): Record<string, unknown> {
  for (const option of Object.keys(job)) {
    // The server ignores members it does not know; a misspelt or unsupported option would be lost without a word.
    if (!newJobOptions.has(option)) throw new QueueError("INVALID_FIELD", `unknown option "${option}" of a job`);
  }
  const body: Record<string, unknown> = {
    type: wellFormed("type", job.type),
    queue: wellFormed("queue", job.queue),
    payload: plainPayload(job.payload),
  };
  if (job.priority !== undefined) body["priority"] = finite("priority", job.priority);
  if (job.readyAt !== undefined) body["ready_at"] = toWireTime("readyAt", job.readyAt);
  if (job.retryLimit !== undefined) body["retry_limit"] = finite("retryLimit", job.retryLimit);
  if (job.backoff !== undefined) body["backoff"] = toWireBackoff(job.backoff);
  if (job.retention !== undefined) body["retention"] = toWireRetention(job.retention);
  return body;
}

/** A time for the wire. INVALID_FIELD, also for what looks like seconds. */
export function toWireTime(name: string, time: number | Date): number {
  const ms = typeof time === "number" ? time : time.getTime();
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new QueueError("INVALID_FIELD", `${name} must be a Date or whole milliseconds since 1970, not ${ms}`);
  }
  if (ms > 0 && ms < SECONDS_LIKE_BELOW_MS) {
    throw new QueueError(
      "INVALID_FIELD",
      `${name} ${ms} looks like seconds, milliseconds are expected: did you mean ${ms * 1000}?`,
    );
  }
  return ms;
}

export function toAckBody(ack: Ack): { id: string; delivery?: string } {
  return ack.delivery === undefined ? { id: ack.id } : { id: ack.id, delivery: ack.delivery };
}

export function toFailureBody(failure: Failure, delivery: string | undefined): Record<string, unknown> {
  const body: Record<string, unknown> = { message: failure.message };
  if (failure.errorType !== undefined) body["error_type"] = failure.errorType;
  if (failure.backtrace !== undefined) body["backtrace"] = failure.backtrace;
  if (failure.retryAt !== undefined) body["retry_at"] = toWireTime("retryAt", failure.retryAt);
  if (failure.kill !== undefined) body["kill"] = failure.kill;
  if (delivery !== undefined) body["delivery"] = delivery;
  return body;
}

/** A job as replies without payload show it. */
export function fromJobView(view: JobView): JobInfo {
  return jobInfo(view);
}

export function fromPayloadView<P>(view: JobView): Job<P> {
  const job = jobInfo(view) as Mutable<Job<P>>;
  job.payload = view.payload as P;
  return job;
}

export function fromEnqueueView(view: JobView): EnqueuedJob {
  const job = jobInfo(view) as Mutable<EnqueuedJob>;
  job.duplicate = view.duplicate === true;
  job.folded = view.folded === true;
  return job;
}

/** A job as the take stream brings it. NOT_SUPPORTED when the server gives no delivery tokens: acks would be unsafe. */
export function fromTakeView<P>(view: JobView): TakenJob<P> {
  if (view.delivery === undefined) {
    throw new QueueError("NOT_SUPPORTED", "the server hands out jobs without delivery tokens; it is not Millrace");
  }
  const job = jobInfo(view) as Mutable<TakenJob<P>>;
  job.payload = view.payload as P;
  job.delivery = view.delivery;
  return job;
}

export function fromErrorView(view: ErrorRecordView): ErrorRecord {
  return {
    attempt: view.attempt,
    message: view.message,
    ...(view.error_type === undefined ? undefined : { errorType: view.error_type }),
    ...(view.backtrace === undefined ? undefined : { backtrace: view.backtrace }),
    dequeuedAt: clampU64(view.dequeued_at),
    failedAt: clampU64(view.failed_at),
  };
}

function jobInfo(view: JobView): JobInfo {
  const job: Mutable<JobInfo> = {
    id: view.id,
    type: view.type,
    queue: view.queue,
    priority: view.priority,
    status: view.status,
    readyAt: clampU64(view.ready_at),
    attempts: view.attempts,
  };
  if (view.retry_limit !== undefined) job.retryLimit = view.retry_limit;
  if (view.backoff !== undefined) job.backoff = fromWireBackoff(view.backoff);
  if (view.dequeued_at !== undefined) job.dequeuedAt = clampU64(view.dequeued_at);
  if (view.failed_at !== undefined) job.failedAt = clampU64(view.failed_at);
  if (view.retention !== undefined) job.retention = fromWireRetention(view.retention);
  if (view.purge_at !== undefined) job.purgeAt = clampU64(view.purge_at);
  if (view.completed_at !== undefined) job.completedAt = clampU64(view.completed_at);
  if (view.phase !== undefined) job.phase = view.phase;
  if (view.reason !== undefined) job.reason = view.reason;
  if (view.lost !== undefined) job.lost = view.lost;
  return job;
}

function toWireBackoff(backoff: Backoff): BackoffView {
  return {
    exponent: finite("backoff.exponent", backoff.exponent),
    base_ms: finite("backoff.baseMs", backoff.baseMs),
    jitter_ms: finite("backoff.jitterMs", backoff.jitterMs),
  };
}

function fromWireBackoff(view: BackoffView): Backoff {
  return { exponent: view.exponent, baseMs: view.base_ms, jitterMs: view.jitter_ms };
}

function toWireRetention(retention: Retention): RetentionView {
  const view: Mutable<RetentionView> = {};
  if (retention.completedMs !== undefined) {
    view.completed_ms = finite("retention.completedMs", retention.completedMs);
  }
  if (retention.deadMs !== undefined) view.dead_ms = finite("retention.deadMs", retention.deadMs);
  return view;
}

function fromWireRetention(view: RetentionView): Retention {
  return {
    ...(view.completed_ms === undefined ? undefined : { completedMs: clampU64(view.completed_ms) }),
    ...(view.dead_ms === undefined ? undefined : { deadMs: clampU64(view.dead_ms) }),
  };
}

/** NaN and infinities become null in JSON, which the server reads as "not given". */
function finite(name: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new QueueError("INVALID_FIELD", `${name} must be a number, not ${String(value)}`);
}

/** A caller without types may pass anything. */
function wellFormed(name: string, value: string): string {
  if (typeof value === "string" && isWellFormed(value)) return value;
  throw new QueueError("INVALID_FIELD", `${name} must be a text that UTF-8 can carry`);
}
