/**
 * A take stream that is kept open: it decodes, watches for silence and reconnects, always with the same queues and
 * prefetch. Each connection is an object of its own, so that what an old one still says cannot touch the new one.
 *
 * There is one alarm for silence, looked at when it rings and not moved with each message.
 */
import { QueueError } from "@millrace/protocol/errors";
import { type Codec, isStreamOf } from "./codec.ts";
import { ConnectionError } from "./connection-error.ts";
import type { TakenJob } from "./job.ts";
import { refusal } from "./refusal.ts";
import { delayBefore, type RetryPolicy } from "./retry.ts";
import type { Alarm } from "./timers.ts";
import type { Transport, TransportStream } from "./transport.ts";
import { fromTakeView } from "./wire-names.ts";

/** Bytes read of a refusal's body. */
const REFUSAL_BYTES_MAX = 65_536;

export interface JobStreamOptions<P> {
  readonly transport: Transport;
  readonly codec: Codec;
  /** `/jobs/take` with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds without a byte, the reply's head included, after which the connection counts as dead. */
  readonly silenceMs: number;
  /** Waits between connections; there is no limit to how many. */
  readonly retry: RetryPolicy;
  /** The server accepted the stream. */
  opened(): void;
  job(job: TakenJob<P>): void;
  /** All jobs that arrived together have been told. */
  told(): void;
  /** The connection is gone or did not come about; the next try starts in `delayMs`. `failures`: in a row. */
  lost(cause: unknown, failures: number, delayMs: number): void;
  /** Refused for a reason that a repeat would not change, or the transport was closed; the stream stays closed. */
  refused(cause: QueueError | ConnectionError): void;
}

export class JobStream<P> {
  readonly #options: JobStreamOptions<P>;
  #attempt: Attempt<P> | undefined;
  #wait: Alarm | undefined;
  #failures = 0;

  constructor(options: JobStreamOptions<P>) {
    this.#options = options;
  }

  /** Connects and stays connected until `close()`. */
  open(): void {
    this.#wait = undefined;
    this.#attempt = new Attempt(this.#options, {
      alive: () => {
        this.#failures = 0;
      },
      gone: (cause) => this.#gone(cause),
    });
  }

  /** Cuts the connection, which gives back every job that was not settled. No listener is called any more. */
  close(): void {
    this.#wait?.cancel();
    this.#wait = undefined;
    this.#attempt?.close();
    this.#attempt = undefined;
  }

  #gone(cause: unknown): void {
    this.#attempt = undefined;
    if (isFinal(cause)) {
      this.#options.refused(cause);
      return;
    }
    const { retry } = this.#options;
    this.#failures += 1;
    const delayMs = delayBefore(this.#failures, retry, retry.random);
    this.#wait = retry.timers.after(delayMs, () => this.open());
    this.#options.lost(cause, this.#failures, delayMs);
  }
}

/** One connection. */
class Attempt<P> {
  readonly #options: JobStreamOptions<P>;
  readonly #owner: { alive(): void; gone(cause: unknown): void };
  readonly #stream: TransportStream;
  #decode: ((chunk: Buffer) => readonly TakenJob<P>[]) | undefined;
  #refused: { status: number; contentType: string; chunks: Buffer[]; length: number } | undefined;
  #heardAt: number;
  #silence: Alarm;
  #over = false;

  constructor(options: JobStreamOptions<P>, owner: { alive(): void; gone(cause: unknown): void }) {
    this.#options = options;
    this.#owner = owner;
    this.#heardAt = options.retry.timers.now();
    this.#silence = this.#listenFor(options.silenceMs);
    const { path, codec } = options;
    const headers = { ...options.headers, accept: codec.streamType };
    this.#stream = options.transport.stream({ path, headers }, this.#listener());
  }

  close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#silence.cancel();
    this.#stream.close();
  }

  #listener() {
    return {
      opened: (status: number, contentType: string) => this.#opened(status, contentType),
      bytes: (chunk: Buffer) => this.#bytes(chunk),
      ended: (cause: unknown) => this.#ended(cause),
    };
  }

  #opened(status: number, contentType: string): void {
    if (this.#over) return;
    this.#heardAt = this.#options.retry.timers.now();
    if (status !== 200 || !isStreamOf(this.#options.codec, contentType)) {
      this.#refused = { status, contentType, chunks: [], length: 0 };
      return;
    }
    const decode = this.#options.codec.streamDecoder();
    this.#decode = (chunk) => decode(chunk).map((view) => fromTakeView<P>(view));
    this.#options.opened();
  }

  #bytes(chunk: Buffer): void {
    if (this.#over) return;
    this.#heardAt = this.#options.retry.timers.now();
    if (this.#decode === undefined) {
      this.#keepRefusal(chunk);
      return;
    }
    this.#owner.alive();
    let jobs: readonly TakenJob<P>[];
    try {
      jobs = this.#decode(chunk);
    } catch (cause) {
      this.#lose(cause instanceof QueueError ? cause : this.#broken("protocol", "an unreadable message", cause));
      return;
    }
    for (const job of jobs) {
      if (this.#over) return;
      this.#options.job(job);
    }
    if (!this.#over && jobs.length > 0) this.#options.told();
  }

  #keepRefusal(chunk: Buffer): void {
    if (this.#refused === undefined || this.#refused.length > REFUSAL_BYTES_MAX) return;
    this.#refused.chunks.push(chunk);
    this.#refused.length += chunk.length;
  }

  #ended(cause: unknown): void {
    if (this.#over) return;
    if (this.#refused !== undefined && cause === undefined) {
      const { status, contentType, chunks } = this.#refused;
      const body = this.#options.codec.tryDecode({ contentType, body: Buffer.concat(chunks) });
      this.#lose(refusal({ url: this.#options.transport.url, request: "GET /jobs/take", status, body }));
      return;
    }
    this.#lose(cause ?? this.#broken("reset", "the server ended the stream", undefined));
  }

  #lose(cause: unknown): void {
    this.close();
    this.#owner.gone(cause);
  }

  #listenFor(ms: number): Alarm {
    const { retry, silenceMs } = this.#options;
    const left = () => this.#heardAt + silenceMs - retry.timers.now();
    return retry.timers.after(ms, () => {
      if (left() > 0) this.#silence = this.#listenFor(left());
      // A handler that blocks the event loop makes a server look silent whose bytes have only not been read yet: they are
      // read before this runs.
      else retry.timers.soon(() => this.#judgeSilence(left()));
    });
  }

  #judgeSilence(leftMs: number): void {
    if (this.#over) return;
    if (leftMs > 0) this.#silence = this.#listenFor(leftMs);
    else this.#lose(this.#broken("timeout", `nothing heard for ${this.#options.silenceMs} ms`, undefined));
  }

  #broken(kind: "reset" | "timeout" | "protocol", reason: string, cause: unknown): ConnectionError {
    const { url } = this.#options.transport;
    return new ConnectionError({ kind, url, request: "GET /jobs/take", mayHaveHappened: true, reason, cause });
  }
}

function isFinal(cause: unknown): cause is QueueError | ConnectionError {
  if (cause instanceof QueueError) return !cause.retryable;
  return cause instanceof ConnectionError && cause.kind === "closed";
}
