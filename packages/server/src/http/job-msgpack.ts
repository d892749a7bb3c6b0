import type { Enqueued } from "../engine/verbs.ts";
import type { Job, JobOptions } from "../job/job.ts";
import { NameCache } from "./byte-string.ts";
import type { JobWriter } from "./job-writer.ts";
import { packFloat32, packMapHead, packString, packUint } from "./msgpack-bytes.ts";

/** The names of members, packed. */
const ID = packString("id");
const TYPE = packString("type");
const QUEUE = packString("queue");
const PRIORITY = packString("priority");
const STATUS = packString("status");
const PAYLOAD = packString("payload");
const READY_AT = packString("ready_at");
const ATTEMPTS = packString("attempts");
const RETRY_LIMIT = packString("retry_limit");
const BACKOFF = packString("backoff");
const DEQUEUED_AT = packString("dequeued_at");
const FAILED_AT = packString("failed_at");
const RETENTION = packString("retention");
const PURGE_AT = packString("purge_at");
const COMPLETED_AT = packString("completed_at");
const DUPLICATE = packString("duplicate");
const FOLDED = packString("folded");
const DELIVERY = packString("delivery");
const PHASE_RETRY = packString("phase") + packString("retry");
const REASON = packString("reason");
const LOST = packString("lost");

/** id, type, queue, priority, status, ready_at, attempts. */
const MEMBERS_ALWAYS = 7;

/** A job as a MessagePack map, as byte strings. Members in the order of http-api.md 6 and E0. */
export class JobMsgpack implements JobWriter {
  readonly #names = new NameCache(packString);
  /** As in `job-json.ts`. */
  #type = "";
  #queue = "";
  #priority = -1;
  #middle = "";

  whole(job: Job, enqueued?: Enqueued): string {
    const members = countEnd(job, false) + (enqueued === undefined ? 0 : 2);
    return this.#start(job, members) + end(job, enqueued, false);
  }

  head(job: Job, taken: boolean): string {
    return this.#start(job, countEnd(job, taken) + 1) + PAYLOAD;
  }

  tail(job: Job, taken: boolean): string {
    return end(job, undefined, taken);
  }

  #start(job: Job, members: number): string {
    if (job.type !== this.#type || job.queue !== this.#queue || job.priority !== this.#priority) {
      this.#type = job.type;
      this.#queue = job.queue;
      this.#priority = job.priority;
      const names = TYPE + this.#names.get(job.type) + QUEUE + this.#names.get(job.queue);
      this.#middle = names + PRIORITY + packUint(job.priority) + STATUS;
    }
    return packMapHead(members) + ID + packString(job.id) + this.#middle + packString(job.status);
  }
}

/** The number of members of a job without payload and without an enqueue's own; in step with {@link end}. */
function countEnd(job: Job, taken: boolean): number {
  const { options } = job;
  let members = MEMBERS_ALWAYS;
  if (options.retryLimit !== undefined) members += 1;
  if (options.backoff !== undefined) members += 1;
  if (job.dequeuedAt !== undefined) members += 1;
  if (job.failedAt !== undefined) members += 1;
  if (options.completedRetentionMs !== undefined || options.deadRetentionMs !== undefined) members += 1;
  if (job.status === "completed" || job.status === "dead") {
    // Its `completed_at` or its `reason`.
    members += job.purgeAt === undefined ? 1 : 2;
  } else if (job.status === "in_flight") {
    if (taken) members += 1;
  } else if (job.status === "scheduled" && job.because === "retry") {
    members += 1;
  }
  return job.lost === 0 ? members : members + 1;
}

function end(job: Job, enqueued: Enqueued | undefined, taken: boolean): string {
  let bytes = READY_AT + packUint(job.readyAt) + ATTEMPTS + packUint(job.attempts);
  const { options } = job;
  if (options.retryLimit !== undefined) bytes += RETRY_LIMIT + packUint(options.retryLimit);
  if (options.backoff !== undefined) bytes += BACKOFF + packBackoff(options.backoff);
  if (job.dequeuedAt !== undefined) bytes += DEQUEUED_AT + packUint(job.dequeuedAt);
  if (job.failedAt !== undefined) bytes += FAILED_AT + packUint(job.failedAt);
  if (options.completedRetentionMs !== undefined || options.deadRetentionMs !== undefined) {
    bytes += RETENTION + packRetention(options);
  }
  if (job.status === "completed" || job.status === "dead") {
    if (job.purgeAt !== undefined) bytes += PURGE_AT + packUint(job.purgeAt);
    if (job.status === "completed") bytes += COMPLETED_AT + packUint(job.completedAt);
  }
  if (enqueued !== undefined)
    bytes += DUPLICATE + packBoolean(enqueued.duplicate) + FOLDED + packBoolean(enqueued.folded);
  if (job.status === "in_flight") {
    if (taken) bytes += DELIVERY + packString(job.delivery);
  } else if (job.status === "scheduled") {
    if (job.because === "retry") bytes += PHASE_RETRY;
  } else if (job.status === "dead") {
    bytes += REASON + packString(job.reason);
  }
  return job.lost === 0 ? bytes : bytes + LOST + packUint(job.lost);
}

const BACKOFF_EXPONENT = packMapHead(3) + packString("exponent");
const BACKOFF_BASE_MS = packString("base_ms");
const BACKOFF_JITTER_MS = packString("jitter_ms");
const RETENTION_COMPLETED_MS = packString("completed_ms");
const RETENTION_DEAD_MS = packString("dead_ms");

function packBackoff({ exponent, baseMs, jitterMs }: NonNullable<JobOptions["backoff"]>): string {
  const base = BACKOFF_BASE_MS + packUint(baseMs);
  return BACKOFF_EXPONENT + packFloat32(exponent) + base + BACKOFF_JITTER_MS + packUint(jitterMs);
}

function packRetention({ completedRetentionMs, deadRetentionMs }: JobOptions): string {
  let members = 0;
  let bytes = "";
  if (completedRetentionMs !== undefined) {
    members += 1;
    bytes += RETENTION_COMPLETED_MS + packUint(completedRetentionMs);
  }
  if (deadRetentionMs !== undefined) {
    members += 1;
    bytes += RETENTION_DEAD_MS + packUint(deadRetentionMs);
  }
  return packMapHead(members) + bytes;
}

function packBoolean(value: boolean): string {
  return value ? "\xc3" : "\xc2";
}
