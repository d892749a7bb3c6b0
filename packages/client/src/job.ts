/** What callers give and get: the wire's objects under this library's names. Times are milliseconds since 1970, UTC. */
import type { DeathReason, Status } from "@millrace/protocol/job-view";

/** How long to wait before a retry: `attempts^exponent * 1000 + baseMs + random * jitterMs * attempts` milliseconds. */
export interface Backoff {
  /** Single precision. */
  readonly exponent: number;
  /** Milliseconds, 0 to 2^32 - 1. */
  readonly baseMs: number;
  /** Milliseconds, 0 to 2^32 - 1. */
  readonly jitterMs: number;
}

/** How long a finished job is kept, in milliseconds; 0 = deleted at once; absent = the server's default. */
export interface Retention {
  readonly completedMs?: number;
  readonly deadMs?: number;
}

/** A job to be enqueued. */
export interface NewJob<P = unknown> {
  /** What is to be done. Not empty; none of `,` NUL `*` `?` `[` `]` `{` `}` `\`. */
  readonly type: string;
  /** Where it waits. Same rule as for `type`. */
  readonly queue: string;
  /**
   * Any value that JSON can hold, and bigints of 64 bits, which arrive exactly. An object's undefined members are left
   * out and `toJSON()` is honoured (a Date becomes its ISO text), as JSON.stringify does; what JSON would silently lose
   * or change (a function, NaN, a Map, a Buffer …) is refused. At most 1 MiB by the server's default.
   */
  readonly payload: P;
  /** 0 to 65535, lower runs first. Default 32768. */
  readonly priority?: number;
  /** Not before this time: a Date, or milliseconds (not seconds) since 1970. Default: now. */
  readonly readyAt?: number | Date;
  /** Retries after the first failure, 0 to 2^32 - 1; 0 = the first failure is final. Default: the server's. */
  readonly retryLimit?: number;
  /** Default: the server's. */
  readonly backoff?: Backoff;
  /** Default: the server's. */
  readonly retention?: Retention;
}

/** A job without its payload. Members are absent where they say nothing. */
export interface JobInfo {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly priority: number;
  readonly status: Status;
  readonly readyAt: number;
  /** Failed attempts so far: 0 during the first run. */
  readonly attempts: number;
  /** Only if set on the job. */
  readonly retryLimit?: number;
  /** Only if set on the job. */
  readonly backoff?: Backoff;
  /** When it was last handed to a worker. */
  readonly dequeuedAt?: number;
  /** When it last failed. */
  readonly failedAt?: number;
  /** Only if set on the job. */
  readonly retention?: Retention;
  /** When the finished job will be deleted. */
  readonly purgeAt?: number;
  readonly completedAt?: number;
  /** `retry`: scheduled between two attempts. */
  readonly phase?: "retry";
  /** Why a dead job is dead. */
  readonly reason?: DeathReason;
  /** How often the job's worker vanished. */
  readonly lost?: number;
}

export interface Job<P = unknown> extends JobInfo {
  readonly payload: P;
}

/** The answer to an enqueue. */
export interface EnqueuedJob extends JobInfo {
  /** This is an older job with the same unique key; nothing was added. */
  readonly duplicate: boolean;
  /** The payload was folded into this older job. */
  readonly folded: boolean;
}

/** A job as a worker gets it. */
export interface TakenJob<P = unknown> extends Job<P> {
  /**
   * Names this handing-over: an ack that carries it can never settle somebody else's run. The tokens of one job sort in
   * the order of its hand-outs, so a handler may pass it on as a fencing token.
   */
  readonly delivery: string;
}

/** One failed attempt. */
export interface ErrorRecord {
  /** From 1. */
  readonly attempt: number;
  readonly message: string;
  readonly errorType?: string;
  readonly backtrace?: string;
  readonly dequeuedAt: number;
  readonly failedAt: number;
}

/** An inclusive range of integers; an absent end is open. A bare number means exactly that. */
export type Range = number | { readonly min?: number; readonly max?: number };

/** Which jobs: members are ANDed, values within one are ORed; absent or empty = no filter. */
export interface JobFilter {
  readonly id?: string | readonly string[];
  readonly status?: Status | readonly Status[];
  readonly queue?: string | readonly string[];
  readonly type?: string | readonly string[];
  readonly priority?: Range;
  readonly readyAt?: Range;
  readonly attempts?: Range;
}

/** How to walk a list. */
export interface Paging<Cursor> {
  /** By id (jobs) or attempt (errors). Default `asc`. */
  readonly order?: "asc" | "desc";
  /** Rows a page, 1 to 2000. Default 50. */
  readonly limit?: number;
  /** Start after this id or attempt. */
  readonly from?: Cursor;
}

export interface ListQuery extends JobFilter, Paging<string> {}

/** One page. The links belong to this server and are passed to `listPage()` as they are. */
export interface JobPage<P = unknown> {
  readonly jobs: readonly Job<P>[];
  readonly next?: string;
  readonly prev?: string;
}

/** Names one delivery of a job. */
export interface Ack {
  readonly id: string;
  /** From the taken job. Without it a late ack may settle another worker's run. */
  readonly delivery?: string;
}

/** What a bulk ack could not settle; everything else is done. */
export interface SettleReport {
  /** Unknown, or not in flight. */
  readonly notFound: readonly string[];
  /** Handed to somebody else since. */
  readonly stale: readonly string[];
}

/** Why a job failed. */
export interface Failure {
  readonly message: string;
  readonly errorType?: string;
  readonly backtrace?: string;
  /** Retry at this time even if the retry limit is used up: a Date or milliseconds since 1970. */
  readonly retryAt?: number | Date;
  /** No retry: the job is dead. */
  readonly kill?: boolean;
}
