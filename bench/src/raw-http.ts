/**
 * A lean HTTP/1.1 client for load: one socket, one request at a time, no objects per header. node:http as a client costs
 * about 60 CPU microseconds a request, which would measure the client instead of the server.
 */
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

export class RawConnection {
  readonly #socket: Socket;
  readonly #head: string;
  #pending: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#head = ` HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n`;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#onData(chunk));
    socket.on("close", () => this.#pending?.reject(new Error("the server closed the connection")));
    socket.on("error", (error) => this.#pending?.reject(error));
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("error", reject);
      socket.once("connect", () => resolve(new RawConnection(socket, `127.0.0.1:${port}`)));
    });
  }

  /** Sends one request and resolves with its whole answer. */
  request(method: string, target: string, body?: string): Promise<Reply> {
    const payload = body ?? "";
    const type = body === undefined ? "" : "Content-Type: application/json\r\n";
    const length = Buffer.byteLength(payload);
    const text = `${method} ${target}${this.#head}${type}Content-Length: ${length}\r\n\r\n${payload}`;
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + 4 + length;
    if (this.#received.length < end) return;
    const reply = { status: Number(head.slice(9, 12)), body: this.#received.subarray(headEnd + 4, end) };
    this.#received = this.#received.subarray(end);
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve(reply);
  }
}
