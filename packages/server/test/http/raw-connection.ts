import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Bytes out, bytes in: for what no client library would send. */
export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#look();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#ended = true;
      this.#look();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  /** Resolves when the kernel has taken the bytes. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** All bytes so far, once they hold what is looked for (the connection may close first). */
  async until(holds: (received: string) => boolean): Promise<string> {
    for (;;) {
      const text = this.#received.toString("latin1");
      if (holds(text) || this.#ended) return text;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** All bytes, when the connection is closed. */
  closed(): Promise<string> {
    return this.until(() => this.#ended);
  }

  #look(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
