import { QueueError } from "@millrace/protocol/errors";
import { isName } from "@millrace/protocol/ids";
import type { Client } from "./client.ts";
import type { JobInfo, TakenJob } from "./job.ts";
import type { Handler } from "./job-runner.ts";
import type { WorkerState } from "./worker-state.ts";

export interface WorkerOptions<P> {
  /** Whose connections, format, retry waits and time to use; it is not closed by the worker. */
  readonly client?: Client;
  /** Without `client`: the server's base URL. Default `http://127.0.0.1:7890`. */
  readonly url?: string;
  /** Only jobs of these queues. Default: all. */
  readonly queues?: readonly string[];
  /** Handlers at work at once, from 1. Default 10. */
  readonly concurrency?: number;
  /**
   * Jobs this worker may hold unsettled, from 1; those beyond `concurrency` wait here, so that the next one is at hand.
   * Default twice the concurrency. More helps short jobs; less spreads long ones better among workers.
   */
  readonly prefetch?: number;
  /**
   * Does the work. Returning or resolving is success, throwing or rejecting is failure: the server then retries by the
   * job's backoff. A job can run more than once (its worker vanished, its ack was lost), so what it does should bear it.
   */
  readonly handler: Handler<P>;
  /** Shown in the server's log; printable ASCII, at most 200 characters. */
  readonly workerId?: string;
  /** Milliseconds without a byte from the server after which the connection counts as dead. Default 30 000. */
  readonly silenceMs?: number;
  /** Listeners from the start; see also `Worker.on()`. */
  readonly on?: { readonly [Name in keyof WorkerEvents<P>]?: (...args: WorkerEvents<P>[Name]) => void };
}

/** What a worker tells. A listener that throws is reported as an `error` and changes nothing else. */
export interface WorkerEvents<P> {
  /**
   * Something that needs a look and is not told elsewhere: an answer is repeated because it failed once, was refused, a
   * listener threw, or the server refused the stream, which ends the worker. Without a listener these are silent, except
   * that a listener's error becomes a process warning and a refused stream rejects `run()`.
   */
  error: [cause: unknown];
  /** A handler is about to start. */
  job: [job: TakenJob<P>];
  /** The server has recorded the success. */
  done: [job: TakenJob<P>];
  /** The server has recorded the failure; `after` is the job's new state. */
  failed: [job: TakenJob<P>, thrown: unknown, after: JobInfo];
  /**
   * The answer came to nothing: the delivery had ended. `stale`: the job was handed out again. `notFound`: it is not in
   * flight or is gone, perhaps because a first answer, whose reply was lost, did its work.
   */
  stale: [job: TakenJob<P>, why: "stale" | "notFound"];
  /** The stream broke or did not open; the next try, after `failures` in a row, comes in `delayMs` milliseconds. */
  reconnect: [event: { readonly cause: unknown; readonly failures: number; readonly delayMs: number }];
  /** `Worker.state` has changed. */
  state: [state: WorkerState];
}

/** Options with their defaults. INVALID_FIELD or INVALID_NAME for one that is out of range. */
export function workerSettings<P>(options: WorkerOptions<P>): {
  concurrency: number;
  prefetch: number;
  queues: readonly string[];
  silenceMs: number;
  headers: Readonly<Record<string, string>>;
} {
  const { workerId, queues = [] } = options;
  if (typeof options.handler !== "function") throw new QueueError("INVALID_FIELD", "handler must be a function");
  const concurrency = count("concurrency", options.concurrency ?? 10);
  for (const queue of queues) {
    if (!isName(queue)) throw new QueueError("INVALID_NAME", `"${queue}" cannot be a queue's name`);
  }
  if (workerId !== undefined && !/^[ -~]{0,200}$/.test(workerId)) {
    throw new QueueError("INVALID_FIELD", "workerId must be at most 200 characters of printable ASCII");
  }
  return {
    concurrency,
    prefetch: count("prefetch", options.prefetch ?? 2 * concurrency),
    queues,
    silenceMs: count("silenceMs", options.silenceMs ?? 30_000),
    headers: workerId === undefined ? {} : { "worker-id": workerId },
  };
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= 2 ** 31 - 1) return value;
  throw new QueueError("INVALID_FIELD", `${name} must be a whole number from 1 to 2^31 - 1, not ${value}`);
}
