// Placeholder for the interface below until the engine's part is written; kept in this file because that is its place.
import type { InFlightJob, Payload } from "../job/job.ts";

/** A job on its way to a worker: its claim is durable. */
export interface TakeMessage {
  readonly job: InFlightJob;
  readonly payload: Payload;
}

/** Where a session writes: one worker's open stream. Implemented by `http/handle-take.ts` and by the simulation. */
export interface JobSink {
  /** Writes the messages as one piece; false when the socket is full: the session then waits for `drained()`. */
  send(messages: readonly TakeMessage[]): boolean;
  /** An orderly end: nothing is cut. Called at most once. */
  end(): void;
}
