/**
 * One port, two protocols: each accepted socket is looked at (`sniff.ts`) and handed to Node's HTTP/1.1 or HTTP/2 server, both of which
 * turn a request into an {@link Exchange} for the one handler. A client that begins with TLS is turned away.
 *
 * Closing: no new connections; idle ones end at once, the others with the replies they carry (HTTP/1.1 says `Connection: close`,
 * HTTP/2 sends GOAWAY). Streams that have no end of their own must be ended by who opened them; what is left after the grace
 * time is destroyed.
 */
import type { Http2Server, ServerHttp2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { invariant } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { RequestHandler } from "./exchange.ts";
import type { Draining } from "./exchange-h1.ts";
import { createHttp1Server, type Http1 } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { ignoreError } from "./ignore-error.ts";
import { type Spoken, sniff } from "./sniff.ts";

/** How long a connection may stay silent before its first byte. */
const FIRST_BYTE_MS = 60_000;
/** When the kernel begins to ask after a silent peer. */
const KEEP_ALIVE_PROBE_MS = 10_000;

export interface ListenerOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly handler: RequestHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the request target and the headers together. */
  readonly headerBytesMax: number;
}

export class Listener {
  readonly address: { readonly host: string; readonly port: number };
  readonly #clock: Clock;
  readonly #net: Server;
  readonly #draining: Draining = { active: false };
  readonly #http1: Http1;
  readonly #http2: Http2Server;
  readonly #sniffing = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #spokenHttp1 = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #closed: Promise<void> | undefined;

  private constructor(options: ListenerOptions, net: Server) {
    const address = net.address();
    invariant(address !== null && typeof address === "object", "a listening TCP server has an address");
    this.address = { host: address.address, port: address.port };
    this.#clock = options.clock;
    this.#net = net;
    const { handler, clock, headerBytesMax } = options;
    this.#http1 = createHttp1Server({ handler, clock, headerBytesMax, draining: this.#draining });
    this.#http2 = createHttp2Server({ handler, headerBytesMax, onSession: (session) => this.#keep(session) });
    net.on("connection", (socket) => this.#accept(socket));
    net.on("error", (error) => options.logger.error("the listener failed", { error: error.message }));
  }

  /** Listens. Rejects with Node's error (EADDRINUSE, EACCES, …) when the address cannot be had. */
  static open(options: ListenerOptions): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const net = createServer({
        allowHalfOpen: true,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
      });
      net.once("error", reject);
      net.listen({ host: options.host, port: options.port, backlog: 1024 }, () => {
        net.off("error", reject);
        resolve(new Listener(options, net));
      });
    });
  }

  /** Ends gracefully, by force after `graceMs`. Resolves when every connection is closed. Calling it twice is fine. */
  close(options: { readonly graceMs: number }): Promise<void> {
    this.#closed ??= this.#close(options.graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    this.#draining.active = true;
    const gone = new Promise<void>((resolve) => this.#net.close(() => resolve()));
    for (const socket of this.#sniffing) socket.destroy();
    this.#http1.server.close();
    for (const socket of this.#spokenHttp1) if (this.#http1.isIdle(socket)) socket.destroySoon();
    for (const session of this.#sessions) session.close();
    this.#http2.close();
    const alarm = this.#clock.after(graceMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await gone;
    alarm.cancel();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    this.#sniffing.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#spokenHttp1.delete(socket);
      this.#sniffing.delete(socket);
    });
    sniff(socket, this.#clock, FIRST_BYTE_MS, (spoken) => {
      this.#sniffing.delete(socket);
      this.#handOver(socket, spoken);
    });
  }

  #handOver(socket: Socket, spoken: Spoken): void {
    if (spoken === "http1") {
      this.#spokenHttp1.add(socket);
      this.#http1.server.emit("connection", socket);
      return;
    }
    socket.on("error", ignoreError);
    if (spoken === "http2") {
      // Node's HTTP/2 would go on with a peer that has said its last, and its take streams would keep their jobs.
      socket.on("end", () => socket.destroy());
      this.#http2.emit("connection", socket);
    } else {
      socket.destroySoon();
    }
  }

  #keep(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on("close", () => this.#sessions.delete(session));
    if (this.#draining.active) session.close();
  }
}
