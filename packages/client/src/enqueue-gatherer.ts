/**
 * Enqueues that arrive while a request is under way gather and go together in the next one. No timer: a single call goes
 * out at once, and many callers share requests by themselves.
 *
 * The server takes a bulk request whole or not at all, but these callers know nothing of one another. So a member that the
 * server refuses is taken out and answered alone, and the others are sent again; a refusal that names no member is
 * narrowed down by halves.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { JobView } from "@millrace/protocol/job-view";
import type { Encoded } from "./codec.ts";

/** Jobs in one request. */
const ITEMS_MAX = 1000;
/** Length of one request; a text's bytes are at most three times its length, and the server's bound is 16 MiB. */
const LENGTH_MAX = 4 * 1024 * 1024;

interface Member {
  readonly job: Encoded;
  resolve(job: JobView): void;
  reject(cause: unknown): void;
}

export class EnqueueGatherer {
  readonly #sendOne: (job: Encoded) => Promise<JobView>;
  readonly #sendMany: (jobs: readonly Encoded[]) => Promise<readonly JobView[]>;
  // Bounded by its callers: each of them waits for its answer.
  #gathered: Member[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: {
    sendOne(job: Encoded): Promise<JobView>;
    /** Answers in order, as many as were sent. */
    sendMany(jobs: readonly Encoded[]): Promise<readonly JobView[]>;
  }) {
    this.#sendOne = options.sendOne;
    this.#sendMany = options.sendMany;
  }

  enqueue(job: Encoded): Promise<JobView> {
    return new Promise((resolve, reject) => {
      this.#gathered.push({ job, resolve, reject });
      this.#sending ??= this.#sendAll();
    });
  }

  /** Resolves when every call so far has been answered. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // Calls made in one go, such as those of a Promise.all(), share the first request too.
    await undefined;
    while (this.#gathered.length > 0) await this.#send(this.#nextMembers());
    this.#sending = undefined;
  }

  #nextMembers(): readonly Member[] {
    let length = 0;
    let count = 0;
    for (const { job } of this.#gathered) {
      if (count === ITEMS_MAX || (count > 0 && length + job.length > LENGTH_MAX)) break;
      length += job.length;
      count += 1;
    }
    const members = this.#gathered.slice(0, count);
    this.#gathered = this.#gathered.slice(count);
    return members;
  }

  async #send(members: readonly Member[]): Promise<void> {
    const only = members[0];
    if (only === undefined) return;
    try {
      const jobs = members.length === 1 ? [await this.#sendOne(only.job)] : await this.#sendMany(jobsOf(members));
      for (const [i, member] of members.entries()) {
        const job = jobs[i];
        if (job !== undefined) member.resolve(job);
        else member.reject(new QueueError("INTERNAL", "the server answered fewer jobs than it was sent"));
      }
    } catch (cause) {
      await this.#refused(members, cause);
    }
  }

  async #refused(members: readonly Member[], cause: unknown): Promise<void> {
    if (members.length === 1 || !(cause instanceof QueueError) || cause.status >= 500) {
      for (const member of members) member.reject(cause);
      return;
    }
    const index = cause.details.index;
    const bad = index === undefined ? undefined : members[index];
    if (bad === undefined) {
      const half = members.length >>> 1;
      await this.#send(members.slice(0, half));
      await this.#send(members.slice(half));
      return;
    }
    bad.reject(refusalOfOne(cause));
    await this.#send(members.filter((member) => member !== bad));
  }
}

function jobsOf(members: readonly Member[]): readonly Encoded[] {
  return members.map((member) => member.job);
}

/** Its caller sent one job and knows of no position. */
function refusalOfOne(cause: QueueError): QueueError {
  const { index: _, ...details } = cause.details;
  return new QueueError(cause.code, cause.message.replace(/^jobs\[\d+\][.:]?\s*/, ""), { cause, details });
}
