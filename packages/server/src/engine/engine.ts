/**
 * The queue: wiring only; each verb is a file of this folder. One Engine is one life: it ends with `stop()`, or by itself
 * after a write that failed (R4), and then only another `Engine.open` over a reopened store knows the truth again.
 */
import type { ErrorRecord, Failure, Job, JobRequest } from "../job/job.ts";
import type { JobFilter } from "../job/job-filter.ts";
import type { Core } from "./core.ts";
import { count } from "./count.ts";
import { enqueue } from "./enqueue.ts";
import { get } from "./get.ts";
import { errorOf, errorsOf } from "./job-errors.ts";
import { Life, type LifeOptions } from "./life.ts";
import { list } from "./list.ts";
import { queues } from "./queues.ts";
import { remove } from "./remove.ts";
import type { JobSink } from "./session.ts";
import { failJob, succeed, succeedMany } from "./settle.ts";
import { take } from "./take.ts";
import type * as verbs from "./verbs.ts";
import { verify } from "./verify.ts";

export class Engine implements verbs.Verbs {
  readonly #life: Life;
  readonly #core: Core;

  private constructor(life: Life) {
    this.#life = life;
    this.#core = life.core;
  }

  /**
   * Begins a life over an open store. Resolves when what was in flight is ready again on disk, so that listeners may open;
   * `ready` follows when the indexes are rebuilt. Throws STORAGE_UNAVAILABLE when the store cannot be read.
   */
  static async open(options: LifeOptions): Promise<Engine> {
    return new Engine(await Life.begin(options));
  }

  /** Resolves when memory is rebuilt and jobs are handed out; rejects when this life ended before. */
  get ready(): Promise<void> {
    return this.#life.ready;
  }

  /** Ends all streams; what they hold is ready again. Acks and other requests still pass. */
  drain(): void {
    this.#life.drain();
  }

  /** Ends this life in order: streams end, what was decided is written. Twice is fine. The store stays open. */
  stop(): Promise<void> {
    return this.#life.stop();
  }

  enqueue(requests: readonly JobRequest[]): Promise<readonly verbs.Enqueued[]> {
    return enqueue(this.#core, requests);
  }

  take(request: verbs.TakeRequest, sink: JobSink): verbs.TakeStream {
    return take(this.#core, request, sink);
  }

  succeed(ack: verbs.Ack): Promise<void> {
    return succeed(this.#core, ack);
  }

  succeedMany(acks: readonly verbs.Ack[]): Promise<verbs.SettleReport> {
    return succeedMany(this.#core, acks);
  }

  fail(ack: verbs.Ack, failure: Failure): Promise<Job> {
    return failJob(this.#core, ack, failure);
  }

  get(id: string): Promise<verbs.JobSnapshot> {
    return get(this.#core, id);
  }

  remove(id: string): Promise<void> {
    return remove(this.#core, id);
  }

  list(query: verbs.ListQuery): Promise<verbs.ListPage> {
    return list(this.#core, query);
  }

  count(filter: JobFilter): Promise<number> {
    return count(this.#core, filter);
  }

  queues(): Promise<readonly string[]> {
    return queues(this.#core);
  }

  errors(id: string, query: verbs.ErrorQuery): Promise<verbs.ErrorPage> {
    return errorsOf(this.#core, id, query);
  }

  error(id: string, attempt: number): Promise<ErrorRecord> {
    return errorOf(this.#core, id, attempt);
  }

  /** Rebuilds memory from the store and compares (R5): complaints, none when all is well. Costly; for a quiet moment. */
  verify(): Promise<readonly string[]> {
    return verify(this.#core);
  }

  /** How often a stream was tried for work: what the no-herd rule bounds. */
  get streamsTouched(): number {
    return this.#core.dispatcher.touched;
  }
}
