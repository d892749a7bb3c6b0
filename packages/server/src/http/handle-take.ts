import { QueueError } from "@millrace/protocol/errors";
import { heartbeatOf, type TakeContentType, type TakeFraming, takeContentTypes } from "@millrace/protocol/take-stream";
import type { Alarm, Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { JobSink, TakeMessage } from "../engine/session.ts";
import type { TakeRequest, TakeStream } from "../engine/verbs.ts";
import { RequestGone } from "./body.ts";
import type { Exchange, ReplyStream } from "./exchange.ts";
import type { Call, Door } from "./handler.ts";
import type { JobEncoder } from "./job-encoder.ts";
import { takeContentType } from "./negotiate.ts";
import { parseList, parseQuery, parseUnsigned } from "./query.ts";
import { U32_MAX } from "./ranges.ts";

const OF_TAKE: ReadonlySet<string> = new Set(["prefetch", "queue", "control"]);

/** GET /jobs/take: a stream of jobs that ends when either side goes away. HEAD shows the headers and claims nothing. */
export async function handleTake(door: Door, { exchange, query }: Call): Promise<void> {
  const contentType = takeContentType(exchange.header("accept"));
  const request = parseTake(query, workerId(exchange, door.random));
  if (exchange.method === "HEAD") {
    exchange.reply(200, contentType);
    return;
  }
  // No job may be claimed for a stream that waits behind another reply, perhaps one without an end.
  const turn = exchange.untilTurn();
  if (turn !== undefined) await turn;
  if (exchange.isGone) throw new RequestGone("the connection closed before the stream's turn came");
  const worker = new WorkerStream(door, exchange, contentType);
  worker.serve(door.verbs.take(request, worker));
}

/** How long a peer may take to read what was on its way when its stream ended; one that does not read would hold up a stop. */
const END_MS = 1_000;

function parseTake(query: string, worker: string): TakeRequest {
  const parameters = parseQuery(query, OF_TAKE);
  const control = parameters.get("control");
  if (control === "1") throw new QueueError("NOT_SUPPORTED", "control messages are not supported yet");
  if (control) throw new QueueError("INVALID_QUERY", "control must be 1");
  const queues = parseList(parameters.get("queue"));
  return {
    queues: queues && Array.from(queues),
    prefetch: parseUnsigned(parameters, "prefetch", 0, U32_MAX) ?? 1,
    workerId: worker,
  };
}

function workerId(exchange: Exchange, random: Random): string {
  return exchange.header("worker-id") || random.u32().toString(16).padStart(8, "0");
}

/** One worker's stream between the engine's session and the socket. */
class WorkerStream implements JobSink {
  readonly #clock: Clock;
  readonly #encoder: JobEncoder;
  readonly #exchange: Exchange;
  readonly #framing: TakeFraming;
  readonly #contentType: TakeContentType;
  readonly #heartbeatMs: number;
  #wire: ReplyStream | undefined;
  #session: TakeStream | undefined;
  #wroteAt = 0;
  #alarm: Alarm | undefined;
  #closed = false;

  constructor(door: Door, exchange: Exchange, contentType: TakeContentType) {
    this.#clock = door.clock;
    this.#encoder = door.encoder;
    this.#exchange = exchange;
    this.#framing = takeContentTypes[contentType];
    this.#contentType = contentType;
    this.#heartbeatMs = door.settings.heartbeatMs;
  }

  /** Begins, with a session that was accepted: had it been refused, the reply would have to be an error. */
  serve(session: TakeStream): void {
    this.#session = session;
    this.#open();
  }

  send(messages: readonly TakeMessage[]): boolean {
    if (this.#closed) return false;
    this.#wroteAt = this.#clock.now();
    return this.#open().write(this.#encoder.takeMessages(this.#framing, messages));
  }

  end(): void {
    const wire = this.#open();
    this.#alarm?.cancel();
    wire.end();
    if (!this.#closed) this.#alarm = this.#clock.after(END_MS, () => this.#exchange.destroy());
  }

  #onClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#alarm?.cancel();
    this.#session?.close();
  }

  /** Sends the headers, at once; only the first call does anything. */
  #open(): ReplyStream {
    if (this.#wire !== undefined) return this.#wire;
    this.#wroteAt = this.#clock.now();
    this.#listenForSilence(this.#heartbeatMs);
    this.#wire = this.#exchange.openStream(this.#contentType, {
      drained: () => this.#session?.drained(),
      closed: () => this.#onClosed(),
    });
    return this.#wire;
  }

  /**
   * A write of jobs does not move the alarm, that would cost more than the write: it rings, sees how long ago the latest write was, and
   * waits for the rest. A clock that was set back or forth makes at most one interval longer or shorter.
   */
  #listenForSilence(ms: number): void {
    this.#alarm = this.#clock.after(ms, () => {
      const silentMs = Math.max(0, this.#clock.now() - this.#wroteAt);
      if (silentMs < this.#heartbeatMs) {
        this.#listenForSilence(this.#heartbeatMs - silentMs);
        return;
      }
      // Dropped, not queued, while the socket is full: a heartbeat is of use only at the time it is for.
      if (this.#wire?.blocked === false) {
        this.#wire.write(heartbeatOf(this.#framing));
        this.#wroteAt = this.#clock.now();
      }
      this.#listenForSilence(this.#heartbeatMs);
    });
  }
}
