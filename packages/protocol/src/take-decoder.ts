/**
 * Reads a take stream as it comes: chunks cut anywhere go in, whole messages come out, heartbeats are skipped. Bounded: a
 * frame above the limit is refused when it is announced or when its bytes exceed it, whatever the other side says.
 */
import { QueueError } from "./errors.ts";
import type { TakeFraming } from "./take-stream.ts";

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const LENGTH_BYTES = 4;

export interface TakeDecoder {
  /**
   * The messages that the chunk completes. They may be views of it, and it is kept until its last frame is complete: the
   * caller must not write into it again. MALFORMED_BODY for a frame above the limit; the decoder is then of no more use.
   */
  push(chunk: Uint8Array): Uint8Array[];
  /** The stream has ended. MALFORMED_BODY when it ended within a frame. */
  end(): void;
}

/** @param messageBytesMax the longest message that is accepted */
export function takeDecoder(framing: TakeFraming, messageBytesMax: number): TakeDecoder {
  switch (framing) {
    case "sse":
      return new EventDecoder(messageBytesMax);
    case "ndjson":
      return new LineDecoder(messageBytesMax);
    case "msgpack":
      return new LengthDecoder(messageBytesMax);
  }
}

/** Pieces of one frame that is not complete yet. */
class Gathering {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** All pieces as one; nothing is left. */
  take(): Uint8Array {
    const [first = new Uint8Array(0)] = this.#pieces;
    const whole = this.#pieces.length <= 1 ? first : join(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return whole;
  }
}

/** Newline-delimited JSON. An empty line is a heartbeat. */
class LineDecoder implements TakeDecoder {
  readonly #lines: LineSplitter;

  constructor(messageBytesMax: number) {
    this.#lines = new LineSplitter(messageBytesMax, 0);
  }

  push(chunk: Uint8Array): Uint8Array[] {
    return this.#lines.push(chunk).filter((line) => line.length > 0);
  }

  end(): void {
    this.#lines.end();
  }
}

/** Server-sent events: `data` lines up to an empty line are one message; comments and other fields are skipped. */
class EventDecoder implements TakeDecoder {
  readonly #lines: LineSplitter;
  readonly #messageBytesMax: number;
  readonly #data = new Gathering();

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
    this.#lines = new LineSplitter(messageBytesMax, DATA_FIELD.length + 2);
  }

  push(chunk: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = [];
    for (const line of this.#lines.push(chunk)) {
      if (line.length > 0) this.#field(line);
      else if (this.#data.bytes > 0) messages.push(this.#data.take());
    }
    return messages;
  }

  end(): void {
    this.#lines.end();
    if (this.#data.bytes > 0) throw cutShort();
  }

  #field(line: Uint8Array): void {
    if (!DATA_FIELD.every((byte, i) => line[i] === byte)) return;
    if (line.length > DATA_FIELD.length && line[DATA_FIELD.length] !== COLON) return;
    const start = DATA_FIELD.length + (line[DATA_FIELD.length + 1] === SPACE ? 2 : 1);
    if (this.#data.bytes > 0) this.#data.add(LINE_BREAK);
    this.#data.add(line.subarray(start));
    if (this.#data.bytes > this.#messageBytesMax) throw tooLong(this.#messageBytesMax);
  }
}

const DATA_FIELD = new TextEncoder().encode("data");
const LINE_BREAK = Uint8Array.of(LF);

/** Cuts bytes at LF or CR LF. */
class LineSplitter {
  readonly #messageBytesMax: number;
  readonly #lineBytesMax: number;
  readonly #open = new Gathering();

  /** @param fieldBytes what a line may hold before its message */
  constructor(messageBytesMax: number, fieldBytes: number) {
    this.#messageBytesMax = messageBytesMax;
    // One more for a CR.
    this.#lineBytesMax = fieldBytes + messageBytesMax + 1;
  }

  push(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      lines.push(withoutCr(this.#finish(chunk.subarray(start, end))));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    this.#check(rest);
    this.#open.add(rest);
    return lines;
  }

  end(): void {
    if (this.#open.bytes > 0) throw cutShort();
  }

  #finish(piece: Uint8Array): Uint8Array {
    this.#check(piece);
    // Most lines lie within one chunk.
    if (this.#open.bytes === 0) return piece;
    this.#open.add(piece);
    return this.#open.take();
  }

  #check(piece: Uint8Array): void {
    if (this.#open.bytes + piece.length > this.#lineBytesMax) throw tooLong(this.#messageBytesMax);
  }
}

/** Messages led by their length. A length of zero is a heartbeat. */
class LengthDecoder implements TakeDecoder {
  readonly #messageBytesMax: number;
  readonly #open = new Gathering();
  /** Of the message that is being gathered; undefined while its length is. */
  #length: number | undefined;

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
  }

  push(chunk: Uint8Array): Uint8Array[] {
    const messages: Uint8Array[] = [];
    for (let at = 0; at < chunk.length; ) {
      const wanted = (this.#length ?? LENGTH_BYTES) - this.#open.bytes;
      const piece = chunk.subarray(at, at + wanted);
      this.#open.add(piece);
      at += piece.length;
      if (piece.length < wanted) break;
      if (this.#length === undefined) this.#announce(this.#open.take());
      else {
        messages.push(this.#open.take());
        this.#length = undefined;
      }
    }
    return messages;
  }

  end(): void {
    if (this.#length !== undefined || this.#open.bytes > 0) throw cutShort();
  }

  #announce(head: Uint8Array): void {
    const length = new DataView(head.buffer, head.byteOffset, LENGTH_BYTES).getUint32(0);
    if (length > this.#messageBytesMax) throw tooLong(this.#messageBytesMax);
    this.#length = length === 0 ? undefined : length;
  }
}

function withoutCr(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}

function join(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function tooLong(messageBytesMax: number): QueueError {
  return new QueueError("MALFORMED_BODY", `a message of the take stream exceeds ${messageBytesMax} bytes`);
}

function cutShort(): QueueError {
  return new QueueError("MALFORMED_BODY", "the take stream ended within a message");
}
