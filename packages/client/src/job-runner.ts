/**
 * Handlers at work: jobs wait here, at most `concurrency` run, and a run is held until the server confirmed its end.
 * It knows neither the stream nor how answers are sent.
 */
import type { TakenJob } from "./job.ts";
import { type JobContext, Run } from "./run.ts";

/** Does the work. Returning (or resolving) is success, throwing (or rejecting) is failure; the value is not kept. */
export type Handler<P> = (job: TakenJob<P>, context: JobContext) => unknown;

export interface JobRunnerOptions<P> {
  readonly concurrency: number;
  readonly handler: Handler<P>;
  started(run: Run<P>): void;
  succeeded(run: Run<P>): void;
  threw(run: Run<P>, cause: unknown): void;
}

export class JobRunner<P> {
  readonly #options: JobRunnerOptions<P>;
  readonly #held = new Map<string, Run<P>>();
  #waiting: TakenJob<P>[] = [];
  #next = 0;
  #running = 0;
  #starting = true;

  constructor(options: JobRunnerOptions<P>) {
    this.#options = options;
  }

  /** Runs whose end is not confirmed yet: still running, or their answer is under way. */
  get held(): number {
    return this.#held.size;
  }

  /** Takes a job in; it starts with the next `fill()` that finds room. */
  accept(job: TakenJob<P>): void {
    const held = this.#held.get(job.id);
    if (held === undefined) {
      this.#waiting.push(job);
    } else if (held.job.attempts === job.attempts) {
      held.delivery = job.delivery;
    } else {
      // It failed and came back before the answer to its failure did: a new attempt, while the old one is still held.
      this.#held.delete(held.key);
      held.key = `${held.key} ${held.delivery}`;
      this.#held.set(held.key, held);
      this.#waiting.push(job);
    }
  }

  /** Starts waiting jobs while there is room. */
  fill(): void {
    while (this.#starting && this.#running < this.#options.concurrency) {
      const job = this.#waiting[this.#next];
      if (job === undefined) {
        this.#forgetWaiting();
        return;
      }
      this.#next += 1;
      this.#start(job);
    }
    // A queue that is never quite empty must not keep the jobs that left it.
    if (this.#next >= 1024) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  /** False = nothing more starts; running handlers go on. */
  setStarting(starting: boolean): void {
    this.#starting = starting;
    if (starting) this.fill();
  }

  /** The stream is gone, and with it the jobs that had not started: the server hands them out again. */
  dropWaiting(): void {
    this.#forgetWaiting();
  }

  /** The server has confirmed the end of this run. */
  release(run: Run<P>): void {
    this.#held.delete(run.key);
  }

  /** Fires every signal and lets go of every run: whatever they answer from here on is not sent. */
  abandon(): void {
    const runs = [...this.#held.values()];
    this.#held.clear();
    for (const run of runs) run.abort();
  }

  #forgetWaiting(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #start(job: TakenJob<P>): void {
    const run = new Run(job);
    this.#held.set(run.key, run);
    this.#running += 1;
    this.#options.started(run);
    let outcome: unknown;
    try {
      outcome = this.#options.handler(job, run);
    } catch (cause) {
      this.#running -= 1;
      this.#options.threw(run, cause);
      return;
    }
    if (!isThenable(outcome)) {
      this.#running -= 1;
      this.#options.succeeded(run);
      return;
    }
    Promise.resolve(outcome).then(
      () => {
        this.#running -= 1;
        this.#options.succeeded(run);
        this.fill();
      },
      (cause: unknown) => {
        this.#running -= 1;
        this.#options.threw(run, cause);
        this.fill();
      },
    );
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
