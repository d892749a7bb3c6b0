import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { Exchange, ExtraHeader, ReplyBody, ReplyStream, ReplyStreamEvents } from "./exchange.ts";
import { ignoreError } from "./ignore-error.ts";

/** Whether the listener is on its way to close: connections then end with the reply they carry. */
export interface Draining {
  active: boolean;
}

/** A refused body is read and thrown away so that the reply survives and the connection stays usable, but not without end. */
const REFUSED_BYTES_MAX = 64 * 1024 * 1024;

/** {@link Exchange} over HTTP/1.1. */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #draining: Draining;
  /** The client waits for `100 Continue` before it sends the body. */
  #awaitsContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, draining: Draining, awaitsContinue: boolean) {
    this.method = request.method ?? "";
    this.target = request.url ?? "";
    this.#request = request;
    this.#response = response;
    this.#draining = draining;
    this.#awaitsContinue = awaitsContinue;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  get hasBody(): boolean {
    const headers = this.#request.headers;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  get contentLength(): number | undefined {
    const text = this.#request.headers["content-length"];
    return text === undefined ? undefined : Number(text);
  }

  openBody(): Readable {
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false;
      this.#response.writeContinue();
    }
    return this.#request;
  }

  refuseBody(): void {
    let bytes = 0;
    this.#request.on("error", ignoreError);
    this.#request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REFUSED_BYTES_MAX) this.destroy();
    });
  }

  untilTurn(): Promise<void> | undefined {
    const response = this.#response;
    const { socket } = this.#request;
    if (response.socket !== null || socket.destroyed) return undefined;
    return new Promise((resolve) => {
      const onTurn = (): void => {
        response.off("socket", onTurn);
        socket.off("close", onTurn);
        resolve();
      };
      response.on("socket", onTurn);
      socket.on("close", onTurn);
    });
  }

  /** A response that waits behind another one does not hear that its socket is gone. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }

  reply(status: number, contentType: string | undefined, body?: ReplyBody, extra?: ExtraHeader): void {
    const response = this.#response;
    if (this.isGone || response.headersSent) return;
    // The body of a client that still waits may or may not follow: the connection would be out of step.
    if (this.#awaitsContinue || this.#draining.active) response.shouldKeepAlive = false;
    const headers: (string | number)[] = [];
    if (contentType !== undefined) headers.push("Content-Type", contentType);
    if (body !== undefined) headers.push("Content-Length", body.length);
    else if (status !== 204 && this.method !== "HEAD") headers.push("Content-Length", 0);
    if (extra !== undefined) headers.push(extra.name, extra.value);
    response.writeHead(status, headers);
    if (body === undefined || this.method === "HEAD") response.end();
    else response.end(body, "latin1");
  }

  openStream(contentType: string, events: ReplyStreamEvents): ReplyStream {
    const response = this.#response;
    response.on("error", ignoreError);
    const stream = new Http1ReplyStream(response, this.#draining);
    if (this.isGone) {
      queueMicrotask(events.closed);
      return stream;
    }
    const { socket } = this.#request;
    const onClosed = (): void => {
      response.off("close", onClosed);
      socket.off("close", onClosed);
      socket.off("end", onEnd);
      events.closed();
    };
    // Who says its last while it is being streamed to has closed: it could not answer what it still gets.
    const onEnd = (): void => this.destroy();
    response.on("drain", events.drained);
    response.on("close", onClosed);
    socket.on("close", onClosed);
    socket.on("end", onEnd);
    response.writeHead(200, ["Content-Type", contentType]);
    response.flushHeaders();
    // A body that nobody reads would hold up the socket, and with it the news that the peer is gone.
    this.#request.resume();
    return stream;
  }

  destroy(): void {
    this.#request.socket.destroy();
  }
}

class Http1ReplyStream implements ReplyStream {
  readonly #response: ServerResponse;
  readonly #draining: Draining;

  constructor(response: ServerResponse, draining: Draining) {
    this.#response = response;
    this.#draining = draining;
  }

  write(bytes: Uint8Array): boolean {
    return this.#response.destroyed || this.#response.write(bytes);
  }

  get blocked(): boolean {
    return this.#response.writableNeedDrain;
  }

  end(): void {
    const { socket } = this.#response;
    // The headers of a stream went out before anybody knew that its connection would not be kept.
    if (this.#draining.active) this.#response.once("finish", () => socket?.end());
    this.#response.end();
  }
}
