import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import type { Exchange, ExtraHeader, ReplyBody, ReplyStream, ReplyStreamEvents } from "./exchange.ts";
import { ignoreError } from "./ignore-error.ts";

/** {@link Exchange} over one stream of an HTTP/2 connection. */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly hasBody: boolean;
  status = 0;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  #bodyRefused = false;

  /** Takes over the stream's errors: they end in its `close`. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number) {
    this.method = headers[":method"] ?? "";
    this.target = headers[":path"] ?? "";
    this.hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    this.#stream = stream;
    this.#headers = headers;
    stream.on("error", ignoreError);
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  get contentLength(): number | undefined {
    const text = this.#headers["content-length"];
    return text === undefined ? undefined : Number(text);
  }

  openBody(): Readable {
    return this.#stream;
  }

  refuseBody(): void {
    this.#bodyRefused = true;
    this.#stream.pause();
  }

  /** Streams do not wait for each other. */
  untilTurn(): undefined {
    return undefined;
  }

  get isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  reply(status: number, contentType: string | undefined, body?: ReplyBody, extra?: ExtraHeader): void {
    const stream = this.#stream;
    if (this.isGone || stream.headersSent) return;
    this.status = status;
    const headers: OutgoingHttpHeaders = { ":status": status };
    if (contentType !== undefined) headers["content-type"] = contentType;
    if (body !== undefined) headers["content-length"] = body.length;
    if (extra !== undefined) headers[extra.name.toLowerCase()] = extra.value;
    if (this.#bodyRefused) stream.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
    if (body === undefined || body.length === 0 || this.method === "HEAD") {
      stream.respond(headers, { endStream: true });
    } else {
      stream.respond(headers);
      stream.end(body, "latin1");
    }
  }

  openStream(contentType: string, events: ReplyStreamEvents): ReplyStream {
    const stream = this.#stream;
    if (this.isGone) {
      queueMicrotask(events.closed);
    } else {
      this.status = 200;
      stream.on("drain", events.drained);
      stream.on("close", events.closed);
      stream.respond({ ":status": 200, "content-type": contentType });
      // Nobody reads a body here; what the client may send is thrown away, so that its window stays open.
      stream.resume();
    }
    return new Http2ReplyStream(stream);
  }

  destroy(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}

class Http2ReplyStream implements ReplyStream {
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  write(bytes: Uint8Array): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.write(bytes);
  }

  get blocked(): boolean {
    return this.#stream.writableNeedDrain;
  }

  end(): void {
    this.#stream.end();
  }
}
