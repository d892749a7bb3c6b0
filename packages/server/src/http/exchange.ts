import type { Readable } from "node:stream";

/**
 * One request and its reply, whichever protocol carries it: `exchange-h1.ts` and `exchange-h2.ts` are the two kinds. Contract:
 *   E1. Exactly one of `reply` and `openStream` is called, once. After the peer has gone both do nothing (but see E4).
 *   E2. The body of a request may stay unread; the connection remains in step (HTTP/1.1) or only the stream ends (HTTP/2).
 *   E3. HEAD gets the headers of the same reply, length included, and no body.
 *   E4. `closed()` of a stream is called exactly once, however it ends, and also when the peer had gone before it was opened.
 */
export interface Exchange {
  readonly method: string;
  /** As sent: path and query, undecoded. */
  readonly target: string;
  /** By its lower-case name; repeated headers are joined or cut down to the first as HTTP has it. */
  header(name: string): string | undefined;

  /** False when the head of the request says that no body follows. */
  readonly hasBody: boolean;
  /** Of the body, in bytes, where the head gives it. */
  readonly contentLength: number | undefined;
  /** The body. Whoever reads it has called this once, since a client may wait for a word to begin (`Expect: 100-continue`). */
  openBody(): Readable;
  /** Stops taking in a body that was refused, without cutting off the reply. */
  refuseBody(): void;

  /**
   * Undefined when a reply would go out now. A pipelined HTTP/1.1 request waits behind older ones: resolves when its turn comes, or
   * the peer goes. Whoever claims something for the peer waits for this first.
   */
  untilTurn(): Promise<void> | undefined;

  /** Whether nobody is there any more to reply to. */
  readonly isGone: boolean;
  /** The status replied, 0 before. */
  readonly status: number;
  reply(status: number, contentType: string | undefined, body?: ReplyBody, extra?: ExtraHeader): void;
  /** Replies 200 and sends the headers at once; the body follows piece by piece. */
  openStream(contentType: string, events: ReplyStreamEvents): ReplyStream;
  /** Cuts the exchange off; on HTTP/1.1 with its connection. */
  destroy(): void;
}

/** Bytes, or a byte string (`byte-string.ts`). */
export type ReplyBody = Uint8Array | string;

/** The one further header that a reply may need. */
export interface ExtraHeader {
  readonly name: string;
  readonly value: string;
}

/** A reply that is still being written. */
export interface ReplyStream {
  /** False when the socket is full; `drained` follows, unless the stream closes first. */
  write(bytes: Uint8Array): boolean;
  /** Whether a `drained` is outstanding. */
  readonly blocked: boolean;
  /** What was written still goes out whole. */
  end(): void;
}

export interface ReplyStreamEvents {
  drained(): void;
  closed(): void;
}

/** What a listener calls for each request. It never throws. */
export type RequestHandler = (exchange: Exchange) => void;
