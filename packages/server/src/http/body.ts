import type { Readable } from "node:stream";
import { QueueError } from "@millrace/protocol/errors";
import type { Clock } from "../base/clock.ts";
import type { Exchange } from "./exchange.ts";
import { ignoreError } from "./ignore-error.ts";
import { type Awaited, SlowBodies } from "./slow-bodies.ts";

/** The client went away, or was cut off, before its request was complete: there is nothing to do and nobody to answer. */
export class RequestGone extends Error {
  override readonly name = "RequestGone";
}

const EMPTY = Buffer.alloc(0);

/** Reads the bodies of requests, within bounds of size and time. */
export class BodyReader {
  readonly #bytesMax: number;
  readonly #slow: SlowBodies;

  /**
   * @param bytesMax of one body; 0 = no limit
   * @param timeoutMs without a byte, after which the connection is closed; 0 = no limit
   */
  constructor(options: { clock: Clock; bytesMax: number; timeoutMs: number }) {
    this.#bytesMax = options.bytesMax === 0 ? Number.POSITIVE_INFINITY : options.bytesMax;
    this.#slow = new SlowBodies(options.clock, options.timeoutMs);
  }

  /**
   * The whole body; empty when there is none. BODY_TOO_LARGE, before the first byte is read when the length was announced.
   * @throws RequestGone
   */
  async read(exchange: Exchange): Promise<Buffer> {
    if (!exchange.hasBody) return EMPTY;
    if ((exchange.contentLength ?? 0) > this.#bytesMax) {
      exchange.refuseBody();
      throw tooLarge(this.#bytesMax);
    }
    return new Promise((resolve, reject) => new Reading(exchange, this.#bytesMax, this.#slow, resolve, reject));
  }
}

/** One body on its way in. */
class Reading implements Awaited {
  heardAt: number;
  readonly #exchange: Exchange;
  readonly #body: Readable;
  readonly #bytesMax: number;
  readonly #slow: SlowBodies;
  readonly #resolve: (bytes: Buffer) => void;
  readonly #reject: (error: QueueError | RequestGone) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #over = false;

  constructor(
    exchange: Exchange,
    bytesMax: number,
    slow: SlowBodies,
    resolve: (bytes: Buffer) => void,
    reject: (error: QueueError | RequestGone) => void,
  ) {
    this.#exchange = exchange;
    this.#bytesMax = bytesMax;
    this.#slow = slow;
    this.#resolve = resolve;
    this.#reject = reject;
    this.heardAt = slow.tick;
    slow.add(this);
    this.#body = exchange.openBody();
    this.#body.on("data", this.#onData);
    this.#body.on("end", this.#onEnd);
    this.#body.on("error", ignoreError);
    this.#body.on("close", this.#onClose);
  }

  expire(): void {
    this.#fail(new RequestGone("no byte of the body came for too long"));
    this.#exchange.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.heardAt = this.#slow.tick;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#bytesMax) {
      this.#chunks.push(chunk);
      return;
    }
    this.#exchange.refuseBody();
    this.#fail(tooLarge(this.#bytesMax));
  };

  readonly #onEnd = (): void => {
    if (this.#over) return;
    // An HTTP/2 stream that is reset ends like one that is complete, with whatever had come.
    if (this.#exchange.isGone) {
      this.#onClose();
      return;
    }
    this.#finish();
    const [first] = this.#chunks;
    this.#resolve(first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#bytes));
  };

  readonly #onClose = (): void => {
    if (!this.#over) this.#fail(new RequestGone("the connection closed before the body was complete"));
  };

  #fail(error: QueueError | RequestGone): void {
    this.#finish();
    this.#chunks = [];
    this.#reject(error);
  }

  #finish(): void {
    this.#over = true;
    this.#slow.delete(this);
    this.#body.off("data", this.#onData);
  }
}

function tooLarge(bytesMax: number): QueueError {
  return new QueueError("BODY_TOO_LARGE", `the request's body is larger than ${bytesMax} bytes`);
}
