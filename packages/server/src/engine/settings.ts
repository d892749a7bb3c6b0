import type { U64 } from "@millrace/protocol/ids";
import type { Backoff } from "../job/job.ts";

/** `fsync`: an answered write survives a power cut. `buffered`: it survives a crash of the process. */
export type CommitMode = "fsync" | "buffered";

/** What an operator may choose about the engine; the flags are in `config-flags.ts`. */
export interface EngineSettings {
  /** Most jobs in flight over all streams; 0 = no limit. */
  readonly globalInFlightMax: number;
  readonly defaultRetryLimit: number;
  readonly defaultBackoff: Backoff;
  /** Milliseconds a completed job is kept; 0 = not at all. */
  readonly completedRetentionMs: U64;
  /** Milliseconds a dead job is kept; 0 = not at all. */
  readonly deadRetentionMs: U64;
  readonly reaperIntervalMs: number;
  readonly commitMode: CommitMode;
  readonly enqueueCommitMode: CommitMode;
  /** Operations after which a write that gathers is closed; one request is never split. */
  readonly operationsMax: number;
  /** Memory for payloads that were just enqueued, bytes; they are not read back from the store when they are handed out. */
  readonly freshPayloadBytesMax: number;
  /** Due jobs made ready in one pass. */
  readonly schedulerPassMax: number;
}
