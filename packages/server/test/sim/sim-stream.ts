/**
 * One take stream: at the server's end a JobSink with a bounded socket behind it, at the worker's end messages that arrive in
 * order, some time later. Either end may go without the other knowing at once.
 */
import type { JobSink, TakeMessage } from "../../src/engine/session.ts";
import type { TakeStream } from "../../src/engine/verbs.ts";
import type { SimClock } from "./sim-clock.ts";

/** Messages that the socket holds before it is full. */
const SOCKET_MESSAGES_MAX = 4;

/** What the stream does at the worker's end. */
export interface StreamReader {
  /** Answers how long reading takes, milliseconds. */
  received(message: TakeMessage): number;
  ended(): void;
}

/** What the stream does at the server's end. */
export interface StreamEnd {
  sends(messages: readonly TakeMessage[]): void;
  isFull(full: boolean): void;
  closes(): void;
}

interface StreamOptions {
  readonly clock: SimClock;
  readonly reader: StreamReader;
  readonly server: StreamEnd;
  readonly delayMs: () => number;
}

export class SimStream implements JobSink {
  readonly #clock: SimClock;
  readonly #reader: StreamReader;
  readonly #server: StreamEnd;
  readonly #delayMs: () => number;
  #handle: TakeStream | undefined;
  /** The server's process lives and has not heard of the end. */
  #serverIsThere = true;
  #readerIsThere = true;
  /** Messages between the two ends, oldest first; undefined = the server's orderly end. */
  readonly #underWay: (TakeMessage | undefined)[] = [];
  #isReading = false;
  #isFull = false;

  constructor(options: StreamOptions) {
    this.#clock = options.clock;
    this.#reader = options.reader;
    this.#server = options.server;
    this.#delayMs = options.delayMs;
  }

  /** The engine's handle, once it has one to give. */
  opened(handle: TakeStream): void {
    this.#handle = handle;
    if (!this.#serverIsThere) handle.close();
  }

  send(messages: readonly TakeMessage[]): boolean {
    this.#server.sends(messages);
    if (!this.#serverIsThere) return true;
    this.#underWay.push(...messages);
    this.#read();
    this.#isFull = this.#underWay.length >= SOCKET_MESSAGES_MAX;
    this.#server.isFull(this.#isFull);
    return !this.#isFull;
  }

  end(): void {
    if (!this.#serverIsThere) return;
    this.#underWay.push(undefined);
    this.#read();
    this.#leaveServer();
  }

  /** The worker's end goes. The server hears of it after a while. */
  cut(serverHearsAfterMs: number): void {
    if (!this.#readerIsThere) return;
    this.#readerIsThere = false;
    this.#underWay.length = 0;
    this.#clock.after(serverHearsAfterMs, () => {
      if (!this.#serverIsThere) return;
      this.#leaveServer();
      this.#handle?.close();
    });
  }

  /** The network breaks between the two: both hear of it, the worker first. False when there was nothing left to break. */
  breakOff(serverHearsAfterMs: number): boolean {
    if (!this.#readerIsThere) return false;
    this.cut(serverHearsAfterMs);
    this.#reader.ended();
    return true;
  }

  /** The server's process died; what is on the way may still arrive. */
  serverDied(): void {
    if (!this.#serverIsThere) return;
    this.#serverIsThere = false;
    this.#underWay.push(undefined);
    this.#read();
  }

  #leaveServer(): void {
    this.#serverIsThere = false;
    this.#server.closes();
  }

  /** One message after the other: each is under way for a while, then the worker takes its time to read it. */
  #read(): void {
    if (this.#isReading || !this.#readerIsThere || this.#underWay.length === 0) return;
    this.#isReading = true;
    this.#clock.after(this.#delayMs(), () => {
      if (!this.#readerIsThere) return;
      const message = this.#underWay.shift();
      if (message === undefined) {
        this.#readerIsThere = false;
        this.#reader.ended();
        return;
      }
      const ms = this.#reader.received(message);
      this.#clock.after(ms, () => {
        this.#isReading = false;
        this.#drain();
        this.#read();
      });
    });
  }

  #drain(): void {
    if (!this.#isFull || !this.#serverIsThere || this.#underWay.length > SOCKET_MESSAGES_MAX / 2) return;
    this.#isFull = false;
    this.#server.isFull(false);
    this.#handle?.drained();
  }
}
