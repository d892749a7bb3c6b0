import type { TakenJob } from "./job.ts";

/** What a handler is given beside its job. */
export interface JobContext {
  /** Fires when the worker's stop deadline passes: the job has been given back and nobody waits for this run any more. */
  readonly signal: AbortSignal;
  /** From 1: which attempt this is. Runs that ended because a worker vanished do not count. */
  readonly attempt: number;
}

/** One job being handled here, from its start until the server has confirmed how it ended. */
export class Run<P> implements JobContext {
  readonly job: TakenJob<P>;
  /**
   * The token to settle with. A stream that broke gives its jobs back, and the server may hand the very job to this worker
   * again while its handler is still running: then the run goes on under the new token instead of a second one starting.
   */
  delivery: string;
  /** Under which the runner keeps it. */
  key: string;
  #controller: AbortController | undefined;

  constructor(job: TakenJob<P>) {
    this.job = job;
    this.delivery = job.delivery;
    this.key = job.id;
  }

  get attempt(): number {
    return this.job.attempts + 1;
  }

  /** Made only for handlers that ask: most do not, and a signal is dear beside a short job. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller ??= new AbortController();
    this.#controller.abort();
  }
}
