/**
 * One worker's take stream. The whole life of a hand-over is here:
 *
 *   claimed in memory ──> claim durable ──> outbox ──> socket
 *
 * A session holds claims of its own as facts in the in-flight index, so its credit is computed, never counted up and down.
 * The outbox holds jobs, not bytes: payloads are read when the socket has room, so a reader that never reads costs little.
 */
import type { DeliveryToken } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import type { Slot } from "../index/job-table.ts";
import type { InFlightJob, Payload } from "../job/job.ts";
import { requeue } from "../job/transitions.ts";
import type { Core } from "./core.ts";
import type { TakeRequest, TakeStream } from "./verbs.ts";

/** A job on its way to a worker: its claim is durable. */
export interface TakeMessage {
  readonly job: InFlightJob;
  readonly payload: Payload;
}

/** Where a session writes: one worker's open stream. Implemented by `http/handle-take.ts` and by the simulation. */
export interface JobSink {
  /** Writes the messages as one piece; false when the socket is full: the session then waits for `drained()`. */
  send(messages: readonly TakeMessage[]): boolean;
  /** An orderly end: nothing is cut. Called at most once. */
  end(): void;
}

/** A claim that waits for its turn on the socket. */
export interface Claim {
  readonly slot: Slot;
  readonly job: InFlightJob;
}

/** Most messages and payload bytes given to the socket in one piece, so that `send()` can say "full" in time. */
const pieceMessagesMax = 256;
const pieceBytesMax = 256 * 1024;

export class Session implements TakeStream {
  readonly number: number;
  readonly queues: readonly string[] | undefined;
  readonly prefetch: number;
  readonly #workerId: string;
  readonly #core: Core;
  readonly #sink: JobSink;
  #outbox: Claim[] = [];
  #outboxStart = 0;
  /** Claims whose write is under way. */
  #claiming = 0;
  #blocked = false;
  #gone = false;

  constructor(core: Core, number: number, request: TakeRequest, sink: JobSink) {
    this.#core = core;
    this.number = number;
    this.queues = request.queues;
    this.prefetch = request.prefetch;
    this.#workerId = request.workerId;
    this.#sink = sink;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** How many more jobs this session may be sent now. Without a prefetch limit: one at a time, held back by the socket. */
  get credit(): number {
    if (this.#gone) return 0;
    if (this.prefetch === 0) return this.#blocked || this.#claiming > 0 || this.#waitingCount() > 0 ? 0 : 1;
    return Math.max(0, this.prefetch - this.#core.indexes.heldCount(this.number));
  }

  /** Claims were made for this session; they are written now. */
  claimed(count: number): void {
    this.#claiming += count;
  }

  /** The claims are durable: send them, in order. */
  deliver(claims: readonly Claim[]): void {
    this.#claiming -= claims.length;
    if (this.#gone) return;
    for (const claim of claims) this.#outbox.push(claim);
    this.#flush();
    if (this.prefetch === 0) this.#callForWork();
  }

  drained(): void {
    if (this.#gone || !this.#blocked) return;
    this.#blocked = false;
    this.#flush();
    this.#callForWork();
  }

  close(): void {
    this.#leave("lost");
  }

  /** The server ends the stream; its jobs are not charged with a loss. */
  end(): void {
    if (this.#gone) return;
    this.#leave("shutdown");
    this.#sink.end();
  }

  /** This life of the engine is over: what it knew is void, so nothing is given back here; recovery will do it. */
  abandon(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#outbox = [];
    this.#sink.end();
  }

  /** Every job of this session goes back to its place, also those claimed and never written to the socket. */
  #leave(cause: "lost" | "shutdown"): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#outbox = [];
    const { indexes, store, committer, dispatcher } = this.#core;
    dispatcher.sessionGone(this);
    const held = [...indexes.heldBy(this.number)];
    this.#logEnd(held.length);
    if (held.length === 0) return;
    const batch = committer.stage();
    for (const slot of held) {
      const job = indexes.read(slot);
      invariant(job.status === "in_flight", "a session held a job that was not in flight");
      const back = requeue(job, cause);
      indexes.change(slot, back);
      store.giveBack(batch, back);
      dispatcher.jobReady(back.queue);
    }
    committer.join("async");
    dispatcher.pump();
  }

  /** A worker that leaves jobs behind is worth a line at any level; one that leaves none only to who looks closely. */
  #logEnd(jobs: number): void {
    const fields = { stream: this.number, worker: this.#workerId, jobs };
    if (jobs > 0) this.#core.logger.info("stream closed; its jobs are ready again", fields);
    else this.#core.logger.debug("stream closed", fields);
  }

  #callForWork(): void {
    this.#core.dispatcher.sessionHungry(this);
    this.#core.dispatcher.pump();
  }

  #waitingCount(): number {
    return this.#outbox.length - this.#outboxStart;
  }

  #flush(): void {
    while (!this.#blocked && !this.#gone && this.#waitingCount() > 0) {
      const piece = this.#nextPiece();
      if (piece.length > 0 && !this.#sink.send(piece)) this.#blocked = true;
    }
  }

  #nextPiece(): TakeMessage[] {
    const { indexes, store, dispatcher } = this.#core;
    const piece: TakeMessage[] = [];
    let bytes = 0;
    while (piece.length < pieceMessagesMax && bytes < pieceBytesMax) {
      const claim = this.#outbox[this.#outboxStart];
      if (claim === undefined) break;
      this.#outboxStart += 1;
      // It may have been settled or deleted since, by anybody.
      if (!this.#isCurrent(claim.slot, claim.job.delivery)) continue;
      const payload = store.payloadToSend(claim.job.id);
      if (payload === undefined) {
        // The store has quarantined the record and said so; a job without its bytes must not be handed out.
        indexes.remove(claim.slot);
        dispatcher.sessionHungry(this);
        continue;
      }
      piece.push({ job: claim.job, payload });
      bytes += payload.bytes.length;
    }
    if (this.#outboxStart === this.#outbox.length) {
      this.#outbox = [];
      this.#outboxStart = 0;
    }
    return piece;
  }

  #isCurrent(slot: Slot, delivery: DeliveryToken): boolean {
    return this.#core.indexes.holds(this.number, slot, delivery);
  }
}
