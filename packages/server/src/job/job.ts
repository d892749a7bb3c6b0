/**
 * What the engine reasons about: a job as a closed union by status, each case with only what it owns. A job's bytes on
 * disk are `store/job-record.ts`, its compact form in memory `index/job-table.ts`, its face on the wire
 * `@millrace/protocol/job-view`. All four are different on purpose; a change of one must not quietly change another.
 */
import type { DeliveryToken, Instant, JobId, QueueName, TypeName, U64 } from "@millrace/protocol/ids";
import type { DeathReason } from "@millrace/protocol/job-view";

/** Retry delays of one job; replaces all three server values together. */
export interface Backoff {
  /** Single precision. */
  readonly exponent: number;
  readonly baseMs: number;
  readonly jitterMs: number;
}

/** What a caller may fix per job and mostly repeats from job to job; absent = the server's default. Never changed in place. */
export interface JobOptions {
  readonly retryLimit?: number;
  readonly backoff?: Backoff;
  readonly completedRetentionMs?: U64;
  readonly deadRetentionMs?: U64;
}

/** What every job has. Absent instants are `undefined`, not missing, so that all jobs share one hidden class. */
export interface JobCommon {
  readonly id: JobId;
  readonly queue: QueueName;
  readonly type: TypeName;
  /** u16; lower runs first. */
  readonly priority: number;
  /** As given; above 2^53 - 1 it is exact only where it was read from the store (`index/job-table.ts` clamps). */
  readonly readyAt: U64;
  /** Failed attempts. */
  readonly attempts: number;
  /** How often the job's worker vanished. */
  readonly lost: number;
  readonly dequeuedAt: Instant | undefined;
  readonly failedAt: Instant | undefined;
  readonly options: JobOptions;
}

export interface ScheduledJob extends JobCommon {
  readonly status: "scheduled";
  /** A retry is a job that is scheduled *because* of a failure. */
  readonly because: "delay" | "retry";
}

export interface ReadyJob extends JobCommon {
  readonly status: "ready";
}

export interface InFlightJob extends JobCommon {
  readonly status: "in_flight";
  readonly dequeuedAt: Instant;
  readonly delivery: DeliveryToken;
}

/** `purgeAt` undefined = not kept: the job is gone with the change that ended it. */
export interface CompletedJob extends JobCommon {
  readonly status: "completed";
  readonly completedAt: Instant;
  readonly purgeAt: U64 | undefined;
}

export interface DeadJob extends JobCommon {
  readonly status: "dead";
  readonly failedAt: Instant;
  readonly reason: DeathReason;
  readonly purgeAt: U64 | undefined;
}

/** A job that memory holds in full: it may still run. */
export type LiveJob = ScheduledJob | ReadyJob | InFlightJob;
/** A job that is over and kept for a while, on disk only. */
export type FinishedJob = CompletedJob | DeadJob;
export type Job = LiveJob | FinishedJob;

/** The caller's bytes, checked but never parsed into values; JSON is stored without line breaks outside strings. */
export interface Payload {
  readonly format: "json" | "msgpack";
  readonly bytes: Buffer;
}

/** An enqueue that has passed every check that needs no store. */
export interface JobRequest {
  readonly queue: QueueName;
  readonly type: TypeName;
  readonly payload: Payload;
  readonly priority: number;
  /** Undefined = now. */
  readonly readyAt: U64 | undefined;
  readonly options: JobOptions;
}

/** What a worker says about an attempt that failed. */
export interface Failure {
  readonly message: string;
  readonly errorType?: string;
  readonly backtrace?: string;
  readonly retryAt?: U64;
  readonly kill: boolean;
}

/** One failed attempt, kept as long as the job. */
export interface ErrorRecord {
  /** From 1. */
  readonly attempt: number;
  readonly message: string;
  readonly errorType?: string;
  readonly backtrace?: string;
  readonly dequeuedAt: Instant;
  readonly failedAt: Instant;
}
