import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { RequestHandler } from "./exchange.ts";
import { Http2Exchange } from "./exchange-h2.ts";
import { refusalOfHead } from "./head-size.ts";
import { ignoreError } from "./ignore-error.ts";
import { replyRefusal } from "./reply.ts";

const STREAM_WINDOW_BYTES = 1024 * 1024;
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024;
const CONCURRENT_STREAMS_MAX = 1000;
/** MB that one session may hold, headers included; beyond it new streams are refused. */
const SESSION_MEMORY_MB_MAX = 64;
const HEADER_PAIRS_MAX = 2000;
/** How far Node's own limit lies above ours: beyond it a stream is reset instead of answered. */
const HEADER_SLACK_FACTOR = 2;

export interface Http2Options {
  readonly handler: RequestHandler;
  readonly headerBytesMax: number;
  /** Called for each connection, for the listener to close them one day. */
  onSession(session: ServerHttp2Session): void;
}

/** An HTTP/2 server that never listens by itself: sockets come by `emit("connection")`. */
export function createHttp2Server(options: Http2Options): Http2Server {
  const server = createServer({
    maxSessionMemory: SESSION_MEMORY_MB_MAX,
    maxHeaderListPairs: HEADER_PAIRS_MAX,
    settings: {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxConcurrentStreams: CONCURRENT_STREAMS_MAX,
      maxHeaderListSize: options.headerBytesMax * HEADER_SLACK_FACTOR,
      enablePush: false,
    },
  });
  server.on("session", (session) => {
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.on("error", ignoreError);
    options.onSession(session);
  });
  server.on("sessionError", ignoreError);
  const onStream = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
  ): void => {
    const exchange = new Http2Exchange(stream, headers, flags);
    const refusal = refusalOfHead(exchange.target, rawHeaders, options.headerBytesMax);
    if (refusal === undefined) options.handler(exchange);
    else replyRefusal(exchange, refusal);
  };
  server.on("stream", onStream);
  return server;
}
