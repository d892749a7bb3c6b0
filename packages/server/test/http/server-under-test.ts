import { once } from "node:events";
import { Agent, request as http1Request, type IncomingMessage } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { afterEach } from "vitest";
import type { LogFields, Logger } from "../../src/base/logger.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import type { HttpSettings } from "../../src/http/handler.ts";
import { Listener } from "../../src/http/listener.ts";
import { createPrimary } from "../../src/http/primary.ts";
import { FakeVerbs } from "./fake-verbs.ts";
import { ManualClock } from "./manual-clock.ts";

export type ProtocolName = "HTTP/1.1" | "HTTP/2";
export const protocols: readonly ProtocolName[] = ["HTTP/1.1", "HTTP/2"];

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

/** A reply whose body is still coming. */
export interface OpenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Resolves with all bytes so far once `enough` says so. */
  read(enough: (bytes: Buffer) => boolean): Promise<Buffer>;
  /** Resolves with all bytes when the body has ended in order. */
  readonly ended: Promise<Buffer>;
  /** Cuts the stream off. */
  abort(): void;
}

export interface LogLine {
  readonly level: string;
  readonly target: string;
  readonly message: string;
  readonly fields: LogFields;
}

export interface ServerOptions {
  readonly verbs?: FakeVerbs;
  readonly settings?: Partial<HttpSettings>;
  readonly headerBytesMax?: number;
}

const open: ServerUnderTest[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

/** A real listener on a free port before a fake engine and a clock moved by hand. */
export class ServerUnderTest {
  readonly verbs: FakeVerbs;
  readonly clock: ManualClock;
  readonly listener: Listener;
  readonly log: LogLine[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sessions: ClientHttp2Session[] = [];

  private constructor(verbs: FakeVerbs, clock: ManualClock, listener: Listener, log: LogLine[]) {
    this.verbs = verbs;
    this.clock = clock;
    this.listener = listener;
    this.log = log;
  }

  static async start(options: ServerOptions = {}): Promise<ServerUnderTest> {
    const verbs = options.verbs ?? new FakeVerbs();
    const clock = new ManualClock();
    const log: LogLine[] = [];
    const logger = loggerInto(log, "millrace");
    const settings: HttpSettings = {
      heartbeatMs: 3000,
      bodyBytesMax: 1024 * 1024,
      payloadBytesMax: 64 * 1024,
      bulkItemsMax: 1000,
      bodyTimeoutMs: 60_000,
      ...options.settings,
    };
    const handler = createPrimary({ verbs, clock, random: new SeededRandom(1), logger, settings, version: "0.1.0" });
    const headerBytesMax = options.headerBytesMax ?? 128 * 1024;
    const listener = await Listener.open({ host: "127.0.0.1", port: 0, handler, clock, logger, headerBytesMax });
    const server = new ServerUnderTest(verbs, clock, listener, log);
    open.push(server);
    return server;
  }

  get port(): number {
    return this.listener.address.port;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    for (const session of this.#sessions) session.destroy();
    const closed = this.listener.close({ graceMs: 1 });
    this.clock.advance(1);
    await closed;
  }

  /** One connection each, kept. */
  session(): ClientHttp2Session {
    const session = this.#sessions.find((known) => !known.closed && !known.destroyed);
    if (session !== undefined) return session;
    const fresh = connectHttp2(`http://127.0.0.1:${this.port}`, { maxSendHeaderBlockLength: 1024 * 1024 });
    fresh.on("error", () => {});
    this.#sessions.push(fresh);
    return fresh;
  }

  /** A whole exchange. */
  async request(protocol: ProtocolName, path: string, options: RequestOptions = {}): Promise<Reply> {
    const reply = await this.open(protocol, path, options);
    const bytes = await reply.ended;
    return { status: reply.status, headers: reply.headers, bytes, text: bytes.toString("utf8") };
  }

  /** An exchange whose reply goes on. */
  async open(protocol: ProtocolName, path: string, options: RequestOptions = {}): Promise<OpenReply> {
    return protocol === "HTTP/1.1" ? this.#openHttp1(path, options) : this.#openHttp2(path, options);
  }

  async #openHttp1(path: string, options: RequestOptions): Promise<OpenReply> {
    const request = http1Request({
      agent: this.#agent,
      host: "127.0.0.1",
      port: this.port,
      path,
      method: options.method ?? "GET",
      headers: options.headers ?? {},
      maxHeaderSize: 1024 * 1024,
    });
    request.end(options.body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return openReply(response.statusCode ?? 0, response.headers, response, () => request.destroy());
  }

  async #openHttp2(path: string, options: RequestOptions): Promise<OpenReply> {
    const stream = this.session().request(
      { ":path": path, ":method": options.method ?? "GET", ...options.headers },
      { endStream: options.body === undefined },
    );
    if (options.body !== undefined) stream.end(options.body);
    const [headers] = (await once(stream, "response")) as [Record<string, string | undefined>];
    return openReply(Number(headers[":status"]), headers, stream, () => stream.close(8));
  }
}

function openReply(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: IncomingMessage | ClientHttp2Stream,
  abort: () => void,
): OpenReply {
  let bytes = Buffer.alloc(0);
  const waiting = new Set<() => void>();
  body.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (const look of waiting) look();
  });
  const ended = new Promise<Buffer>((resolve, reject) => {
    body.on("end", () => resolve(bytes));
    body.on("error", reject);
    body.on("close", () => reject(new Error("the reply was cut off")));
  });
  ended.catch(() => {});
  const read = (enough: (bytes: Buffer) => boolean) =>
    new Promise<Buffer>((resolve) => {
      const look = () => {
        if (!enough(bytes)) return;
        waiting.delete(look);
        resolve(bytes);
      };
      waiting.add(look);
      look();
    });
  return { status, headers, read, ended, abort };
}

function loggerInto(lines: LogLine[], target: string): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, target, message, fields });
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    for: (other) => loggerInto(lines, other),
  };
}
