import type { Enqueued } from "../engine/verbs.ts";
import type { Backoff, Job, JobOptions } from "../job/job.ts";
import { NameCache, utf8Bytes } from "./byte-string.ts";
import { InstantText } from "./instant-text.ts";
import type { JobWriter } from "./job-writer.ts";

/** A job as JSON, as byte strings. Members in the order of http-api.md 6 and E0. */
export class JobJson implements JobWriter {
  readonly #names = new NameCache((name) => utf8Bytes(JSON.stringify(name)));
  /** Neighbours in a stream mostly share queue, type and priority: the text between id and status is kept from job to job. */
  #type = "";
  #queue = "";
  #priority = -1;
  #middle = "";

  whole(job: Job, enqueued?: Enqueued): string {
    return `${this.#start(job)}"${end(job, enqueued, false)}`;
  }

  head(job: Job): string {
    return `${this.#start(job)}","payload":`;
  }

  tail(job: Job, taken: boolean): string {
    return end(job, undefined, taken);
  }

  #start(job: Job): string {
    if (job.type !== this.#type || job.queue !== this.#queue || job.priority !== this.#priority) {
      this.#type = job.type;
      this.#queue = job.queue;
      this.#priority = job.priority;
      const names = `"type":${this.#names.get(job.type)},"queue":${this.#names.get(job.queue)}`;
      this.#middle = `",${names},"priority":${job.priority},"status":"`;
    }
    return `{"id":"${job.id}${this.#middle}${job.status}`;
  }
}

const instants = new InstantText();

function end(job: Job, enqueued: Enqueued | undefined, taken: boolean): string {
  let text = `,"ready_at":${instants.of(job.readyAt)},"attempts":${job.attempts}`;
  const { options } = job;
  if (options.retryLimit !== undefined) text += `,"retry_limit":${options.retryLimit}`;
  if (options.backoff !== undefined) text += `,"backoff":${backoffJson(options.backoff)}`;
  if (job.dequeuedAt !== undefined) text += `,"dequeued_at":${instants.of(job.dequeuedAt)}`;
  if (job.failedAt !== undefined) text += `,"failed_at":${job.failedAt}`;
  if (options.completedRetentionMs !== undefined || options.deadRetentionMs !== undefined) {
    text += `,"retention":${retentionJson(options)}`;
  }
  if (job.status === "completed" || job.status === "dead") {
    if (job.purgeAt !== undefined) text += `,"purge_at":${job.purgeAt}`;
    if (job.status === "completed") text += `,"completed_at":${job.completedAt}`;
  }
  if (enqueued !== undefined) text += `,"duplicate":${enqueued.duplicate},"folded":${enqueued.folded}`;
  if (job.status === "in_flight") {
    if (taken) text += `,"delivery":"${job.delivery}"`;
  } else if (job.status === "scheduled") {
    if (job.because === "retry") text += ',"phase":"retry"';
  } else if (job.status === "dead") {
    text += `,"reason":"${job.reason}"`;
  }
  return job.lost === 0 ? `${text}}` : `${text},"lost":${job.lost}}`;
}

function backoffJson({ exponent, baseMs, jitterMs }: Backoff): string {
  return `{"exponent":${float32Text(exponent)},"base_ms":${baseMs},"jitter_ms":${jitterMs}}`;
}

function retentionJson({ completedRetentionMs, deadRetentionMs }: JobOptions): string {
  if (completedRetentionMs === undefined) return `{"dead_ms":${deadRetentionMs}}`;
  if (deadRetentionMs === undefined) return `{"completed_ms":${completedRetentionMs}}`;
  return `{"completed_ms":${completedRetentionMs},"dead_ms":${deadRetentionMs}}`;
}

/** Nine significant digits tell any two single-precision numbers apart. */
const FLOAT32_DIGITS_MAX = 9;

/** The shortest decimal that reads back as the same single-precision number, with at least one decimal: `4.0`, `1.5`, `0.1`. */
export function float32Text(value: number): string {
  const single = Math.fround(value);
  let shortest = single;
  for (let digits = 1; digits <= FLOAT32_DIGITS_MAX; digits++) {
    shortest = Number(single.toPrecision(digits));
    if (Math.fround(shortest) === single) break;
  }
  const text = String(shortest);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
