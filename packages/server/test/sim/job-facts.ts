/** What the oracle knows of one job: only what was said aloud, and how sure it may be of it. */
import type { Job, JobOptions, JobRequest } from "../../src/job/job.ts";

/** A point of the history: `turn` orders everything, `at` is the clock. */
export interface Moment {
  readonly turn: number;
  readonly at: number;
}

/** A job that a producer wants. Its number is its name in the journal, and stands in its payload. */
export interface Wish {
  readonly number: number;
  readonly request: JobRequest;
}

/** Wishes that went in one request: all or nothing. */
export interface Order {
  readonly wishes: readonly Wish[];
  /** How often the request reached a server. Each time may have made jobs of its own. */
  arrivals: number;
}

/** A job is over, for certain. `gone` = no trace of it is left; else it is shown until some instant between the two. */
export interface End {
  readonly kind: "completed" | "dead" | "gone";
  readonly since: Moment;
  readonly shownUntilMin: number;
  readonly shownUntilMax: number;
}

/** A request that may change a job, from its arrival to its answer; for ever, when the answer was never given. */
export interface Ask {
  readonly kind: "success" | "failure" | "removal";
  readonly life: number;
  readonly begun: Moment;
  /** Whether the job may be over because of it. */
  readonly mayEnd: boolean;
  /** The delivery that certainly was the current one, when the request names it or names none. */
  readonly holding: Holding | undefined;
  /** Another request about the job was under way at the same time. */
  disturbed: boolean;
}

/** One handing-over of a job. */
export interface Holding {
  readonly session: SessionFacts;
  readonly delivery: string;
  readonly since: Moment;
}

/** One worker's stream, as the server's end sees it. */
export interface SessionFacts {
  readonly name: string;
  readonly life: number;
  readonly prefetch: number;
  readonly queues: readonly string[] | undefined;
  /** Jobs sent on it that nothing is known to have ended. */
  readonly holds: Set<JobFacts>;
  isOpen: boolean;
  /** Its last `send` was answered with false, and `drained` has not been called since. */
  isFull: boolean;
}

export interface JobFacts {
  readonly id: string;
  readonly name: string;
  readonly wish: Wish;
  readonly order: Order;
  /** Since when the job certainly exists; undefined = its enqueue was not answered, and nobody has seen it. */
  accepted: Moment | undefined;
  end: End | undefined;
  /** A power cut may have undone what was said of it (buffered mode): anything is possible until it is seen again. */
  inDoubt: boolean;
  /** A power cut took something in buffered mode while this job existed. */
  wasInDoubt: boolean;
  readonly asks: Set<Ask>;
  attemptsMin: number;
  attemptsMax: number;
  /** When it is due, as said together with the number of attempts. */
  due: { readonly attempts: number; readonly readyAt: number } | undefined;
  holding: Holding | undefined;
  lastDelivery: string;
  /** Since when in this life it certainly has been ready; undefined = not certain. 0 = since memory was rebuilt. */
  readySince: number | undefined;
}

export function newFacts(id: string, name: string, wish: Wish, order: Order): JobFacts {
  return {
    id,
    name,
    wish,
    order,
    accepted: undefined,
    end: undefined,
    inDoubt: false,
    wasInDoubt: false,
    asks: new Set(),
    attemptsMin: 0,
    attemptsMax: 0,
    due: undefined,
    holding: undefined,
    lastDelivery: "",
    readySince: undefined,
  };
}

/** Whether nothing but the stated end can have happened to the job. */
export function mayHaveEnded(facts: JobFacts): boolean {
  if (facts.inDoubt) return true;
  for (const ask of facts.asks) if (ask.mayEnd) return true;
  return false;
}

/** Whether a request of this life may be changing who holds the job. */
export function isBeingSettled(facts: JobFacts, life: number): boolean {
  for (const ask of facts.asks) if (ask.life === life) return true;
  return false;
}

/** Whether the job certainly is at a worker. */
export function isHeld(facts: JobFacts, life: number): boolean {
  const session = facts.holding?.session;
  return session?.isOpen === true && session.life === life && !isBeingSettled(facts, life);
}

/** What every answer about a job must agree on with the wish; undefined = it does. */
export function differenceFrom(wish: Wish, job: Job): string | undefined {
  const { request } = wish;
  if (job.queue !== request.queue) return `queue ${job.queue} instead of ${request.queue}`;
  if (job.type !== request.type) return `type ${job.type} instead of ${request.type}`;
  if (job.priority !== request.priority) return `priority ${job.priority} instead of ${request.priority}`;
  const [options, wished] = [optionsText(job.options), optionsText(request.options)];
  return options === wished ? undefined : `options ${options} instead of ${wished}`;
}

function optionsText(options: JobOptions): string {
  const { retryLimit, backoff, completedRetentionMs, deadRetentionMs } = options;
  const delays = backoff === undefined ? "default" : `${backoff.exponent}/${backoff.baseMs}/${backoff.jitterMs}`;
  return `retries ${retryLimit}, backoff ${delays}, kept ${completedRetentionMs} and ${deadRetentionMs} ms`;
}
