import { QueueError } from "@millrace/protocol/errors";
import type { Ack, Failure, JobInfo } from "./job.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";
import type { Run } from "./run.ts";

export interface FailureReporterOptions<P> {
  /** One try: answers the job in its new state; rejects with a QueueError or ConnectionError. */
  send(ack: Ack, failure: Failure): Promise<JobInfo>;
  done(run: Run<P>, after: JobInfo): void;
  /** The delivery had ended already, see SettleBatcher. */
  stale(run: Run<P>, why: "stale" | "notFound"): void;
  refused(runs: readonly Run<P>[], cause: unknown): void;
  trouble(cause: unknown): void;
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
}

/** Failures are reported one by one, each until it is answered: rare beside acks, and each has its own text. */
export class FailureReporter<P> {
  readonly #options: FailureReporterOptions<P>;

  constructor(options: FailureReporterOptions<P>) {
    this.#options = options;
  }

  push(run: Run<P>, failure: Failure): void {
    void this.#report(run, failure);
  }

  async #report(run: Run<P>, failure: Failure): Promise<void> {
    const { send, trouble, retry, signal } = this.#options;
    while (!signal.aborted) {
      const { delivery } = run;
      try {
        const after = await withRetry(
          () => send({ id: run.job.id, delivery }, failure),
          "always",
          retry,
          signal,
          trouble,
        );
        if (!signal.aborted) this.#options.done(run, after);
        return;
      } catch (cause) {
        if (signal.aborted) return;
        // The job has come back to this worker meanwhile: what is to be reported is still true of the new delivery.
        if (endedAlready(cause) !== undefined && run.delivery !== delivery) continue;
        this.#tell(run, cause);
        return;
      }
    }
  }

  #tell(run: Run<P>, cause: unknown): void {
    const why = endedAlready(cause);
    if (why === undefined) this.#options.refused([run], cause);
    else this.#options.stale(run, why);
  }
}

function endedAlready(cause: unknown): "stale" | "notFound" | undefined {
  if (!(cause instanceof QueueError)) return undefined;
  if (cause.code === "STALE_DELIVERY") return "stale";
  return cause.code === "JOB_NOT_FOUND" || cause.code === "JOB_NOT_IN_FLIGHT" ? "notFound" : undefined;
}
