import type { Enqueued } from "../engine/verbs.ts";
import type { Job } from "../job/job.ts";

/** What a job has around its payload, in one format. Results are byte strings. */
export interface JobWriter {
  /** A job without a payload; with `enqueued` as a reply to enqueue. */
  whole(job: Job, enqueued?: Enqueued): string;
  /** A job up to where its payload's bytes belong. `taken`: as a message to a worker, which alone shows the delivery's token. */
  head(job: Job, taken: boolean): string;
  /** The rest of it. `head`, payload and `tail` make a whole. */
  tail(job: Job, taken: boolean): string;
}
