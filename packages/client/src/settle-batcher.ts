/**
 * Acks gather while a request is under way and go together in the next one: no timer, so an idle worker adds no delay and
 * a busy one widens its batches by itself. A batch is sent until it is answered; its tokens make that safe.
 */
import type { Ack, SettleReport } from "./job.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";
import type { Run } from "./run.ts";

/** Acks in one request: well below what the server takes, and an answer for some never waits long for others. */
const BATCH_MAX = 5000;

export interface SettleBatcherOptions<P> {
  /** One try: answers what could not be settled; rejects with a QueueError or ConnectionError. */
  send(acks: readonly Ack[]): Promise<SettleReport>;
  done(run: Run<P>): void;
  /** The delivery had ended already: `stale` = another has begun, `notFound` = the job is not in flight or is gone. */
  stale(run: Run<P>, why: "stale" | "notFound"): void;
  /** An answer that a repeat would not change: these runs will not be settled by us. */
  refused(runs: readonly Run<P>[], cause: unknown): void;
  /** A first try failed and is being repeated. */
  trouble(cause: unknown): void;
  readonly retry: RetryPolicy;
  /** Ends all sending. */
  readonly signal: AbortSignal;
}

export class SettleBatcher<P> {
  readonly #options: SettleBatcherOptions<P>;
  #gathered: Run<P>[] = [];
  #busy = false;

  constructor(options: SettleBatcherOptions<P>) {
    this.#options = options;
  }

  push(run: Run<P>): void {
    this.#gathered.push(run);
    if (this.#busy) return;
    this.#busy = true;
    // Not at once: what else ends in this turn of the event loop shares the request.
    this.#options.retry.timers.soon(() => void this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    while (this.#gathered.length > 0 && !this.#options.signal.aborted) {
      const runs = this.#gathered.length <= BATCH_MAX ? this.#gathered : this.#gathered.slice(0, BATCH_MAX);
      this.#gathered = this.#gathered.slice(runs.length);
      await this.#sendBatch(runs);
    }
    this.#busy = false;
  }

  async #sendBatch(runs: readonly Run<P>[]): Promise<void> {
    const { send, trouble, retry, signal } = this.#options;
    const acks = runs.map((run) => ({ id: run.job.id, delivery: run.delivery }));
    let report: SettleReport;
    try {
      report = await withRetry(() => send(acks), "always", retry, signal, trouble);
    } catch (cause) {
      if (!signal.aborted) this.#options.refused(runs, cause);
      return;
    }
    if (!signal.aborted) this.#tell(runs, acks, report);
  }

  #tell(runs: readonly Run<P>[], acks: readonly Ack[], report: SettleReport): void {
    const notFound = new Set(report.notFound);
    const stale = new Set(report.stale);
    for (const [i, run] of runs.entries()) {
      const why = stale.has(run.job.id) ? "stale" : notFound.has(run.job.id) ? "notFound" : undefined;
      if (why === undefined) this.#options.done(run);
      else if (run.delivery !== acks[i]?.delivery) this.push(run);
      else this.#options.stale(run, why);
    }
  }
}
