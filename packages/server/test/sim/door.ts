/**
 * The server's end of the wire in one life: requests come in here and are answered here. What passes this door is what was
 * said aloud. A door dies with its process: then nothing passes any more, whatever the engine behind it still tries.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { Verbs } from "../../src/engine/verbs.ts";
import type { Outcome } from "./outcome.ts";
import type { SimStream } from "./sim-stream.ts";

/** One request, whatever it asks. */
export interface Call<T> {
  /** For complaints. */
  readonly what: string;
  run(verbs: Verbs): Promise<T>;
  /** The request reached a server; the result is to be told what the server says, or that it will never say anything. */
  arrives?(): (outcome: Outcome<T>) => void;
}

interface Pending {
  readonly what: string;
  giveUp(): void;
}

interface DoorOptions {
  readonly life: number;
  readonly verbs: Verbs;
  /** A request was answered with something that is not a QueueError. */
  onBroken(what: string, error: unknown): void;
  /** A request was passed on to the engine. */
  onRequest(): void;
}

export class Door {
  readonly life: number;
  readonly verbs: Verbs;
  readonly #onBroken: (what: string, error: unknown) => void;
  readonly #onRequest: () => void;
  readonly #pending = new Set<Pending>();
  readonly #streams = new Set<SimStream>();
  #isOpen = true;

  constructor(options: DoorOptions) {
    this.life = options.life;
    this.verbs = options.verbs;
    this.#onBroken = options.onBroken;
    this.#onRequest = options.onRequest;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Requests that have no answer yet. */
  get unanswered(): readonly string[] {
    return [...this.#pending].map(({ what }) => what);
  }

  /** Take streams that neither end has closed. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Resolves with what the server says, or with silence when it dies first. */
  handle<T>(call: Call<T>): Promise<Outcome<T>> {
    if (!this.#isOpen) return Promise.resolve({ kind: "unheard" });
    const heard = call.arrives?.() ?? (() => undefined);
    return new Promise((resolve) => {
      const pending: Pending = {
        what: call.what,
        giveUp: () => {
          heard({ kind: "unheard" });
          resolve({ kind: "unheard" });
        },
      };
      this.#pending.add(pending);
      const say = (outcome: Outcome<T>) => {
        if (!this.#pending.delete(pending)) return;
        heard(outcome);
        resolve(outcome);
      };
      call.run(this.verbs).then(
        (value) => say({ kind: "answered", value }),
        (error: unknown) => {
          if (!(error instanceof QueueError)) this.#onBroken(call.what, error);
          say({ kind: "refused", code: error instanceof QueueError ? error.code : "INTERNAL" });
        },
      );
      this.#onRequest();
    });
  }

  joined(stream: SimStream): void {
    this.#streams.add(stream);
  }

  left(stream: SimStream): void {
    this.#streams.delete(stream);
  }

  /** The process is gone: who waits for an answer never gets one, and every stream is cut. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const pending of [...this.#pending]) pending.giveUp();
    this.#pending.clear();
    for (const stream of [...this.#streams]) stream.serverDied();
    this.#streams.clear();
  }
}
