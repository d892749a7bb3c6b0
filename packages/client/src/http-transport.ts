/**
 * HTTP/1.1 over node:http with kept-alive connections. A take stream has a connection of its own, so that closing the
 * stream is closing the connection, which is how the server learns that jobs are given back.
 */
import http from "node:http";
import https from "node:https";
import { QueueError } from "@millrace/protocol/errors";
import { ConnectionError, type ConnectionFailure } from "./connection-error.ts";
import { systemTimers, type Timers } from "./timers.ts";
import type {
  StreamListener,
  StreamRequest,
  Transport,
  TransportReply,
  TransportRequest,
  TransportStream,
} from "./transport.ts";

/** Requests that may be under way at once; more wait for a free connection. */
const SOCKETS_MAX = 32;
/**
 * An idle connection is dropped after this many milliseconds, or a second before the time the server announces if that
 * is sooner: a request sent into a connection that is just closing fails without anybody knowing whether it was done.
 */
const IDLE_SOCKET_MS = 30_000;

export class HttpTransport implements Transport {
  readonly url: string;
  readonly #base: URL;
  readonly #prefix: string;
  readonly #secure: boolean;
  readonly #agent: http.Agent;
  readonly #timers: Timers;
  readonly #open = new Set<http.ClientRequest>();
  #closed = false;

  /** `url`: `http://` or `https://`, with a path when the server sits behind a prefix. INVALID_FIELD for another. */
  constructor(url: string, timers: Timers = systemTimers) {
    this.#base = baseOf(url);
    this.url = url;
    this.#prefix = this.#base.pathname.replace(/\/+$/, "");
    this.#secure = this.#base.protocol === "https:";
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX, timeout: IDLE_SOCKET_MS };
    this.#agent = this.#secure ? new https.Agent(options) : new http.Agent(options);
    this.#timers = timers;
  }

  request(request: TransportRequest): Promise<TransportReply> {
    const what = `${request.method} ${pathOnly(request.path)}`;
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.#failure("closed", what, false, { reason: "the client was closed" }));
        return;
      }
      let settled = false;
      const settle = (act: () => void) => {
        if (settled) return;
        settled = true;
        alarm.cancel();
        this.#open.delete(outgoing);
        act();
      };
      const fail = (cause: unknown) => {
        settle(() => reject(this.#broken(cause, what, wire.connected)));
      };
      const outgoing = this.#send(request, this.#agent, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
          const contentType = incoming.headers["content-type"] ?? "";
          settle(() => resolve({ status: incoming.statusCode ?? 0, contentType, body }));
        });
        incoming.on("error", fail);
      });
      const wire = watchConnection(outgoing);
      outgoing.on("error", fail);
      const giveUp = () => {
        if (settled) return;
        const reason = `no reply within ${request.timeoutMs} ms`;
        fail(this.#failure("timeout", what, wire.connected, { reason }));
        outgoing.destroy();
      };
      // After a busy time the reply may be here and only not read yet: it is read before the last word is spoken.
      const alarm = this.#timers.after(request.timeoutMs, () => this.#timers.soon(giveUp));
      outgoing.end(request.body);
    });
  }

  stream(request: StreamRequest, listener: StreamListener): TransportStream {
    const what = `GET ${pathOnly(request.path)}`;
    let over = false;
    const end = (cause: unknown) => {
      if (over) return;
      over = true;
      this.#open.delete(outgoing);
      listener.ended(cause);
    };
    const fail = (cause: unknown) => end(this.#broken(cause, what, wire.connected));
    // Without an agent's keep-alive the connection ends with the stream.
    const outgoing = this.#send({ ...request, method: "GET" }, false, (incoming) => {
      if (over) return;
      incoming.on("data", (chunk: Buffer) => {
        if (!over) listener.bytes(chunk);
      });
      incoming.on("end", () => end(undefined));
      incoming.on("error", fail);
      listener.opened(incoming.statusCode ?? 0, incoming.headers["content-type"] ?? "");
    });
    const wire = watchConnection(outgoing);
    outgoing.on("error", fail);
    outgoing.end();
    if (this.#closed) outgoing.destroy();
    return {
      close: () => {
        over = true;
        this.#open.delete(outgoing);
        outgoing.destroy();
      },
    };
  }

  close(): void {
    this.#closed = true;
    for (const outgoing of this.#open) outgoing.destroy();
    this.#agent.destroy();
  }

  #send(
    request: Omit<TransportRequest, "timeoutMs">,
    agent: http.Agent | false,
    answer: (incoming: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const options: http.RequestOptions = {
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ""),
      port: this.#base.port,
      path: this.#prefix + request.path,
      method: request.method,
      headers: request.headers,
      agent,
    };
    const outgoing = this.#secure ? https.request(options, answer) : http.request(options, answer);
    this.#open.add(outgoing);
    return outgoing;
  }

  #broken(cause: unknown, request: string, connected: boolean): ConnectionError {
    if (cause instanceof ConnectionError) return cause;
    if (this.#closed) return this.#failure("closed", request, connected, { reason: "the client was closed" });
    return this.#failure(connected ? "reset" : "unreachable", request, connected, { cause });
  }

  #failure(
    kind: ConnectionFailure,
    request: string,
    mayHaveHappened: boolean,
    why: { cause?: unknown; reason?: string },
  ): ConnectionError {
    return new ConnectionError({ kind, url: this.url, request, mayHaveHappened, ...why });
  }
}

function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol === "http:" || base?.protocol === "https:") return base;
  throw new QueueError("INVALID_FIELD", `"${url}" is no http:// or https:// URL`);
}

/** Whether the request has a connection: before that nothing of it can have left. */
function watchConnection(outgoing: http.ClientRequest): { connected: boolean } {
  const wire = { connected: false };
  outgoing.on("socket", (socket) => {
    if (!socket.connecting) wire.connected = true;
    else socket.once("connect", () => (wire.connected = true));
  });
  return wire;
}

/** A query can hold two thousand ids, which no message wants. */
function pathOnly(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}
