import { QueueError } from "@millrace/protocol/errors";
import type { ErrorRecordView, JobView } from "@millrace/protocol/job-view";
import { callTo } from "./call-to.ts";
import { codecOf, type Encoded, type Format } from "./codec.ts";
import { type Call, Connection } from "./connection.ts";
import { EnqueueGatherer } from "./enqueue-gatherer.ts";
import { HttpTransport } from "./http-transport.ts";
import type {
  Ack,
  EnqueuedJob,
  ErrorRecord,
  Failure,
  Job,
  JobFilter,
  JobInfo,
  JobPage,
  ListQuery,
  NewJob,
  Paging,
  SettleReport,
} from "./job.ts";
import { filterQuery, listQuery, pagingQuery } from "./query.ts";
import {
  type PageReply,
  type ReplyReader,
  readCount,
  readError,
  readErrorPage,
  readHealth,
  readJob,
  readJobPage,
  readJobs,
  readNothing,
  readQueues,
  readVersion,
} from "./replies.ts";
import { type Repeatable, type RetryOptions, retryPolicy } from "./retry.ts";
import { type Send, sendAcks, sendFailure, sendSuccess } from "./settle-calls.ts";
import { systemTimers, type Timers } from "./timers.ts";
import type { Transport } from "./transport.ts";
import { fromEnqueueView, fromErrorView, fromPayloadView, toEnqueueBody } from "./wire-names.ts";

export interface ClientOptions {
  /** The server's base URL. Default `http://127.0.0.1:7890`. */
  readonly url?: string;
  /** How bodies are written. Default `json`. */
  readonly format?: Format;
  /** Milliseconds until the whole reply to one try must be there. Default 15 000. */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** Another way to the server than node:http; `url` is then its own. */
  readonly transport?: Transport;
  /** Another source of time, for tests. */
  readonly timers?: Timers;
  /** Another source of chance, uniform in [0, 1), for tests. */
  readonly random?: () => number;
}

/**
 * Talks to one Millrace server. Every call rejects with a `QueueError`, which carries the server's code, or with a
 * `ConnectionError`, which says whether the request may have been carried out. Reads are repeated after a failure;
 * what changes something only if it certainly never left this machine (acks with a token are safe, see the worker).
 */
export class Client {
  /** For the parts of this library; not for callers. */
  readonly connection: Connection;
  readonly #enqueues: EnqueueGatherer;

  constructor(options: ClientOptions = {}) {
    const timers = options.timers ?? systemTimers;
    this.connection = new Connection({
      transport: options.transport ?? new HttpTransport(options.url ?? "http://127.0.0.1:7890", timers),
      codec: codecOf(options.format ?? "json"),
      timeoutMs: options.timeoutMs ?? 15_000,
      retry: retryPolicy(options.retry ?? {}, timers, options.random ?? Math.random),
    });
    this.#enqueues = new EnqueueGatherer({
      sendOne: (job) => this.#change(callTo("enqueue", {}, { body: job }), readJob),
      sendMany: (jobs) => this.#sendBulk(jobs),
    });
  }

  /** The server this client talks to. */
  get url(): string {
    return this.connection.transport.url;
  }

  /**
   * Enqueues one job; resolves when it is durable. Calls made while a request is under way share the next one; each still
   * succeeds or fails by itself. INVALID_FIELD before anything is sent for what JSON cannot hold, see {@link NewJob}.
   */
  async enqueue<P>(job: NewJob<P>): Promise<EnqueuedJob> {
    const body = this.connection.codec.encode(toEnqueueBody(job));
    return fromEnqueueView(await this.#enqueues.enqueue(body));
  }

  /** Enqueues many in one request, all or nothing; answers in their order. A bad one is named by `details.index`. */
  async enqueueBulk<P>(jobs: readonly NewJob<P>[]): Promise<EnqueuedJob[]> {
    const views = await this.#sendBulk(jobs.map((job) => this.connection.codec.encode(toEnqueueBody(job))));
    return views.map(fromEnqueueView);
  }

  /** JOB_NOT_FOUND also for a job that finished and is past its retention. */
  async get<P = unknown>(id: string): Promise<Job<P>> {
    return fromPayloadView(await this.#read(callTo("getJob", { id }), readJob));
  }

  /** Every job that matches, in order of id, fetched page by page. A job that changes meanwhile may or may not be met. */
  async *list<P = unknown>(query: ListQuery = {}): AsyncGenerator<Job<P>, void, undefined> {
    for (let page = await this.listPage<P>(query); ; page = await this.listPage<P>(page.next)) {
      yield* page.jobs;
      if (page.next === undefined) return;
    }
  }

  /** One page: the first of a query, or the one behind a link of another page. */
  async listPage<P = unknown>(query: ListQuery | string = {}): Promise<JobPage<P>> {
    const page = typeof query === "string" ? linkedPage(query) : callTo("listJobs", {}, { query: listQuery(query) });
    const { rows, next, prev } = await this.#read(page, readJobPage);
    return {
      jobs: rows.map((view) => fromPayloadView<P>(view)),
      ...(next === undefined ? undefined : { next }),
      ...(prev === undefined ? undefined : { prev }),
    };
  }

  /** How many jobs match. */
  async count(filter: JobFilter = {}): Promise<number> {
    return this.#read(callTo("countJobs", {}, { query: filterQuery(filter) }), readCount);
  }

  /** Deletes a job in any status. JOB_NOT_FOUND. A worker that runs it is not told; its ack will find nothing. */
  async delete(id: string): Promise<void> {
    await this.#change(callTo("deleteJob", { id }), readNothing);
  }

  /** Failed attempts of a job, fetched page by page. JOB_NOT_FOUND. */
  async *errors(id: string, paging: Paging<number> = {}): AsyncGenerator<ErrorRecord, void, undefined> {
    let page: Call | undefined = callTo("listErrors", { id }, { query: pagingQuery(paging) });
    while (page !== undefined) {
      const reply: PageReply<ErrorRecordView> = await this.#read(page, readErrorPage);
      yield* reply.rows.map(fromErrorView);
      page = reply.next === undefined ? undefined : linkedPage(reply.next);
    }
  }

  /** One failed attempt, from 1. JOB_NOT_FOUND, ATTEMPT_NOT_FOUND. */
  async error(id: string, attempt: number): Promise<ErrorRecord> {
    return fromErrorView(await this.#read(callTo("getError", { id, attempt }), readError));
  }

  /** Names of all queues that hold a job now, in bytewise order. */
  async queues(): Promise<string[]> {
    return this.#read(callTo("queues", {}), readQueues);
  }

  /** Resolves when the server answers. */
  async health(): Promise<{ status: string }> {
    return this.#read(callTo("health", {}), readHealth);
  }

  /** `version`: the compatible API. `server`: `millrace/` and the server's own version. */
  async version(): Promise<{ version: string; server?: string }> {
    return this.#read(callTo("version", {}), readVersion);
  }

  /** Settles a job in flight as done. JOB_NOT_FOUND, JOB_NOT_IN_FLIGHT; STALE_DELIVERY: it was handed to another since. */
  async success(ack: Ack): Promise<void> {
    await sendSuccess(this.#sender(repeatable(ack)), this.connection.codec, ack);
  }

  /** Settles many as done; what cannot be settled is reported, the rest is done. */
  async successMany(acks: readonly Ack[]): Promise<SettleReport> {
    if (acks.length === 0) return { notFound: [], stale: [] };
    const safe = acks.every((ack) => repeatable(ack) === "always") ? "always" : "unsent";
    return sendAcks(this.#sender(safe), this.connection.codec, acks);
  }

  /** Settles a job in flight as failed; answers it in its new state: `scheduled` for a retry, or `dead`. Errors as `success`. */
  async failure(ack: Ack, failure: Failure): Promise<JobInfo> {
    return sendFailure(this.#sender(repeatable(ack)), this.connection.codec, ack, failure);
  }

  /** Waits for the enqueues under way, then closes the connections. Later calls reject as `closed`. Closing twice is fine. */
  async close(): Promise<void> {
    await this.#enqueues.settled();
    this.connection.close();
  }

  #read<Reply>(call: Call, read: ReplyReader<Reply>): Promise<Reply> {
    return this.connection.call(call, read, "always");
  }

  #change<Reply>(call: Call, read: ReplyReader<Reply>): Promise<Reply> {
    return this.connection.call(call, read, "unsent");
  }

  #sender(repeatable: Repeatable): Send {
    return (call, read) => this.connection.call(call, read, repeatable);
  }

  #sendBulk(jobs: readonly Encoded[]): Promise<readonly JobView[]> {
    const body = this.connection.codec.bulk(jobs);
    return this.#change(callTo("enqueueBulk", {}, { body }), readJobs);
  }
}

/** Links are the server's own and are followed as they are. */
function linkedPage(link: string): Call {
  if (!link.startsWith("/")) throw new QueueError("INVALID_FIELD", `"${link}" is no link of a page`);
  return { method: "GET", path: link };
}

/** With its token an ack can be repeated: it can never settle another run. */
function repeatable(ack: Ack): Repeatable {
  return ack.delivery === undefined ? "unsent" : "always";
}
