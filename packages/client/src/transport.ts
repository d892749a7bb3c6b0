/**
 * The seam between the client and the wire. Contract:
 *   T1. `request()` resolves with whatever status came; it rejects only with a ConnectionError.
 *   T2. A ConnectionError says `mayHaveHappened: false` only when no byte of the request can have reached the server.
 *   T3. Of a stream the listener hears `opened` at most once, then `bytes` in order, then `ended` exactly once; after
 *       `close()` it hears nothing more. Nothing is heard before `stream()` has returned.
 *   T4. `close()` ends requests and streams that are open; what comes later is refused as `closed`. Closing twice is fine.
 *   T5. An idle transport keeps no process alive.
 */
export interface Transport {
  /** The server's base URL, for messages. */
  readonly url: string;
  request(request: TransportRequest): Promise<TransportReply>;
  stream(request: StreamRequest, listener: StreamListener): TransportStream;
  close(): void;
}

export interface TransportRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query as the contract writes them (`/jobs?…`); the base URL's own path goes in front. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Milliseconds until the whole reply must be there. */
  readonly timeoutMs: number;
}

export interface TransportReply {
  readonly status: number;
  /** The raw header; empty when there is none. */
  readonly contentType: string;
  readonly body: Buffer;
}

export interface StreamRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StreamListener {
  opened(status: number, contentType: string): void;
  bytes(chunk: Buffer): void;
  /** Undefined = an orderly end. */
  ended(cause: unknown): void;
}

export interface TransportStream {
  /** Cuts the connection. Calling it twice is fine. */
  close(): void;
}
