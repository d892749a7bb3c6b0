/** One server, one format: calls go out encoded, come back decoded, and failures are repeated where that is safe. */
import type { Codec, Encoded } from "./codec.ts";
import { ConnectionError } from "./connection-error.ts";
import { refusal } from "./refusal.ts";
import type { ReplyReader } from "./replies.ts";
import { type Repeatable, type RetryPolicy, withRetry } from "./retry.ts";
import type { Transport, TransportReply, TransportRequest } from "./transport.ts";

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly codec: Codec;
  /** Milliseconds until the whole reply to one try must be there. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
}

export interface Call {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly body?: Encoded | undefined;
}

export class Connection {
  readonly transport: Transport;
  readonly codec: Codec;
  readonly retry: RetryPolicy;
  readonly #timeoutMs: number;
  readonly #lifetime = new AbortController();

  constructor(options: ConnectionOptions) {
    this.transport = options.transport;
    this.codec = options.codec;
    this.retry = options.retry;
    this.#timeoutMs = options.timeoutMs;
  }

  /** The reply as `read` understands it. QueueError: the server's refusal. ConnectionError: no answer to rely on. */
  call<Reply>(call: Call, read: ReplyReader<Reply>, repeatable: Repeatable): Promise<Reply> {
    return withRetry(() => this.once(call, read), repeatable, this.retry, this.#lifetime.signal);
  }

  /** {@link call} with a single try. */
  async once<Reply>(call: Call, read: ReplyReader<Reply>): Promise<Reply> {
    const headers: Record<string, string> = { accept: this.codec.mediaType };
    if (call.body !== undefined) headers["content-type"] = this.codec.mediaType;
    const { method, path, body } = call;
    const reply = await this.transport.request({ method, path, headers, body, timeoutMs: this.#timeoutMs });
    if (reply.status >= 200 && reply.status < 300) return this.#decode(call, reply, read);
    const { url } = this.transport;
    throw refusal({ url, request: requestOf(call), status: reply.status, body: this.codec.tryDecode(reply) });
  }

  /** Ends what is under way and refuses what comes later. Closing twice is fine. */
  close(): void {
    this.#lifetime.abort();
    this.transport.close();
  }

  #decode<Reply>(call: Call, reply: TransportReply, read: ReplyReader<Reply>): Reply {
    const decoded = read(this.codec.tryDecode(reply));
    if (decoded !== undefined) return decoded;
    throw new ConnectionError({
      kind: "protocol",
      url: this.transport.url,
      request: requestOf(call),
      mayHaveHappened: true,
      reason: `answered ${reply.status} with "${reply.contentType}" that is no such reply`,
    });
  }
}

function requestOf(call: Call): string {
  return `${call.method} ${call.path.split("?", 1)[0] ?? ""}`;
}
