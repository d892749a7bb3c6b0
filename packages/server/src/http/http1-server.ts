import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { QueueError } from "@millrace/protocol/errors";
import type { Clock } from "../base/clock.ts";
import type { RequestHandler } from "./exchange.ts";
import { type Draining, Http1Exchange } from "./exchange-h1.ts";
import { headersTooLarge, refusalOfHead, uriTooLong } from "./head-size.ts";
import { ignoreError } from "./ignore-error.ts";
import { replyRefusal } from "./reply.ts";

/** How far Node's own limit lies above ours: within it our check tells a long target from large headers exactly. */
const HEADER_SLACK_FACTOR = 2;
/** Above the idle time that clients' pools expect, or they meet a connection that is just being closed. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 60_000;
/** How long a peer may take to read the refusal of something that was not HTTP. */
const LINGER_MS = 2_000;

export interface Http1Options {
  readonly handler: RequestHandler;
  readonly clock: Clock;
  readonly draining: Draining;
  readonly headerBytesMax: number;
}

export interface Http1 {
  readonly server: Server;
  /** Whether nothing that was asked on a connection is unanswered; half a request's head does not count. */
  isIdle(socket: Duplex): boolean;
}

/**
 * An HTTP/1.1 server that never listens by itself: sockets come by `emit("connection")`. Requests have no time limit as a whole, since
 * a take stream has no end; a slow head is timed here, a slow body in `body.ts`.
 */
export function createHttp1Server(options: Http1Options): Http1 {
  const server = createServer({
    maxHeaderSize: options.headerBytesMax * HEADER_SLACK_FACTOR,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = 0;
  const latest = new WeakMap<Duplex, ServerResponse>();
  const accept = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void => {
    latest.set(request.socket, response);
    const exchange = new Http1Exchange(request, response, options.draining, awaitsContinue);
    const refusal = refusalOfRequest(request, options.headerBytesMax);
    if (refusal === undefined) options.handler(exchange);
    else replyRefusal(exchange, refusal);
  };
  server.on("request", (request, response) => accept(request, response, false));
  server.on("checkContinue", (request, response) => accept(request, response, true));
  const refused = new WeakSet<Duplex>();
  server.on("clientError", (error, socket) => {
    // The parser, once broken, complains about each further piece.
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(error, socket, latest.get(socket), options);
  });
  // Node runs its watch over slow heads only in a server that listens.
  server.emit("listening");
  // A peer that has said its last still gets the answer to what it asked. The property is Node's own, but not in its types.
  Object.assign(server, { httpAllowHalfOpen: true });
  const isIdle = (socket: Duplex): boolean => latest.get(socket)?.writableFinished ?? true;
  return { server, isIdle };
}

function refusalOfRequest(request: IncomingMessage, headerBytesMax: number): QueueError | undefined {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    return new QueueError("INVALID_HEADER", "an HTTP/1.1 request must have a Host header");
  }
  return refusalOfHead(request.url ?? "", request.rawHeaders, headerBytesMax);
}

/** Answers what could not be parsed, if an answer can still stand in its place, and closes the connection. */
function refuse(error: ParserError, socket: Duplex, latest: ServerResponse | undefined, options: Http1Options): void {
  if (!socket.writable || error.code === "ECONNRESET" || !mayAnswer(latest)) {
    socket.destroy();
    return;
  }
  socket.on("error", ignoreError);
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.end("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  } else {
    const { status, body } = rawRefusal(error, options.headerBytesMax);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
  // Closing with unread bytes in hand would reset the connection and could take the answer with it: let the peer go first.
  const alarm = options.clock.after(LINGER_MS, () => socket.destroy());
  socket.on("close", () => alarm.cancel());
}

/** Whether the next bytes on the socket would be read as the answer to what broke: nothing older is unanswered. */
function mayAnswer(latest: ServerResponse | undefined): boolean {
  if (latest === undefined || latest.writableFinished) return true;
  const itsTurn = latest.socket !== null;
  return itsTurn && !latest.headersSent && !latest.req.complete;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

function rawRefusal(error: ParserError, headerBytesMax: number): { status: number; body: string } {
  const refusal = refusalOf(error, headerBytesMax);
  return { status: refusal.status, body: JSON.stringify(refusal.toBody()) };
}

function refusalOf(error: ParserError, headerBytesMax: number): QueueError {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    // So far above the limit only the last packet is at hand: a target has no line break in it, headers nearly always do.
    return error.rawPacket?.includes("\n") ? headersTooLarge(headerBytesMax) : uriTooLong(headerBytesMax);
  }
  if (error.code?.startsWith("HPE_INVALID_CHUNK") || error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") {
    return new QueueError("MALFORMED_BODY", "the chunks of the request's body are malformed", { cause: error });
  }
  return new QueueError("INVALID_HEADER", "the request is not well-formed HTTP/1.1", { cause: error });
}
