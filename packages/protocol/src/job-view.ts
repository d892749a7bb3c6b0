import type { U64 } from "./ids.ts";

/** The five words that a job's status can be on the wire; no other ever appears. */
export const statuses = ["scheduled", "ready", "in_flight", "completed", "dead"] as const;
export type Status = (typeof statuses)[number];

/** Why a dead job is dead. */
export type DeathReason = "retries_exhausted" | "killed";

/** Retry delays: `trunc(attempts^exponent * 1000 + base_ms + random * jitter_ms * attempts)` milliseconds. */
export interface BackoffView {
  /** Single precision (f32). */
  readonly exponent: number;
  /** u32, milliseconds. */
  readonly base_ms: number;
  /** u32, milliseconds. */
  readonly jitter_ms: number;
}

/** How long a finished job is kept, milliseconds; 0 deletes at once; absent = the server's default. */
export interface RetentionView {
  readonly completed_ms?: U64;
  readonly dead_ms?: U64;
}

/** A job as the wire shows it. Members are absent, never null, where the contract says "only if". */
export interface JobView {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly priority: number;
  readonly status: Status;
  /** Any JSON value; absent in replies to enqueue, failure and PATCH. */
  readonly payload?: unknown;
  readonly ready_at: U64;
  /** Number of failed attempts: 0 when new, and still 0 during the first run. */
  readonly attempts: number;
  readonly retry_limit?: number;
  readonly backoff?: BackoffView;
  readonly dequeued_at?: U64;
  readonly failed_at?: U64;
  readonly retention?: RetentionView;
  readonly purge_at?: U64;
  readonly completed_at?: U64;
  /** In replies to enqueue only, and there always. */
  readonly duplicate?: boolean;
  /** In replies to enqueue only, and there always. */
  readonly folded?: boolean;
  /** In take messages only. */
  readonly delivery?: string;
  /** Refines the status; `retry` = scheduled between two attempts. */
  readonly phase?: "retry";
  readonly reason?: DeathReason;
  /** How often the job's worker vanished; absent while 0. */
  readonly lost?: number;
}

/** One failed attempt of a job. */
export interface ErrorRecordView {
  /** From 1. */
  readonly attempt: number;
  readonly message: string;
  readonly error_type?: string;
  readonly backtrace?: string;
  readonly dequeued_at: U64;
  readonly failed_at: U64;
}

/** Links to the neighbours of a page: relative, from `/jobs`; null where there is none. */
export interface PageLinks {
  readonly self: string;
  readonly next: string | null;
  readonly prev: string | null;
}
