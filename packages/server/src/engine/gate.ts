/**
 * Which requests may pass, by where this life of the engine stands:
 *
 *   rebuilding ──> open ──> stopping ──> ended
 *        └───────────┴──────────┴──> ended (a write failed: R4)
 *
 * `drain()` is orthogonal: streams are ending and no new one is accepted, everything else still passes.
 *
 * While memory is being rebuilt, plain enqueues pass (they are newer than everything on disk), streams open without jobs,
 * and whatever needs the indexes waits here, at most `waitMs`.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";

type Phase = "rebuilding" | "open" | "stopping" | "ended";

interface Waiting {
  pass(): void;
  refuse(error: QueueError): void;
}

export class Gate {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiting>();
  #phase: Phase = "rebuilding";
  #draining = false;
  /** A life that stops before memory was rebuilt must not answer from half of it. */
  #wasOpen = false;
  #ending: QueueError | undefined;

  constructor(options: { clock: Clock; waitMs: number }) {
    this.#clock = options.clock;
    this.#waitMs = options.waitMs;
  }

  /** Whether the indexes can be asked now. Check this first: the common case needs no promise. */
  get isOpen(): boolean {
    return this.#phase === "open";
  }

  /** Throws SHUTTING_DOWN when no new stream may open. */
  assertStreaming(): void {
    this.assertAccepting();
    if (this.#draining) throw new QueueError("SHUTTING_DOWN", "the server is shutting down");
  }

  drain(): void {
    this.#draining = true;
  }

  /** Throws SHUTTING_DOWN or STORAGE_UNAVAILABLE when nothing may be accepted any more. */
  assertAccepting(): void {
    if (this.#phase === "stopping") throw new QueueError("SHUTTING_DOWN", "the server is shutting down");
    if (this.#phase === "ended") throw this.#ended();
  }

  /** Resolves when the indexes can be asked; rejects with NOT_READY after the waiting time. */
  async whenOpen(): Promise<void> {
    if (this.#phase === "ended") throw this.#ended();
    if (this.#phase === "stopping" && !this.#wasOpen) this.assertAccepting();
    if (this.#phase !== "rebuilding") return;
    if (this.#waiting.size >= limits.readyWaitersMax) throw notReady();
    await new Promise<void>((resolve, reject) => {
      const late = this.#clock.after(this.#waitMs, () => {
        this.#waiting.delete(waiting);
        reject(notReady());
      });
      const waiting: Waiting = {
        pass: () => {
          late.cancel();
          resolve();
        },
        refuse: (error) => {
          late.cancel();
          reject(error);
        },
      };
      this.#waiting.add(waiting);
    });
  }

  open(): void {
    if (this.#phase !== "rebuilding") return;
    this.#phase = "open";
    this.#wasOpen = true;
    for (const waiting of this.#waiting) waiting.pass();
    this.#waiting.clear();
  }

  /** No new work; what is under way may finish. */
  stop(): void {
    if (this.#phase === "ended") return;
    this.#phase = "stopping";
    this.#refuseWaiting(new QueueError("SHUTTING_DOWN", "the server is shutting down"));
  }

  /** This life is over. */
  end(reason: QueueError): void {
    if (this.#phase === "ended") return;
    this.#phase = "ended";
    this.#ending = reason;
    this.#refuseWaiting(reason);
  }

  #refuseWaiting(error: QueueError): void {
    for (const waiting of this.#waiting) waiting.refuse(error);
    this.#waiting.clear();
  }

  #ended(): QueueError {
    return this.#ending ?? new QueueError("SHUTTING_DOWN", "the server has stopped");
  }
}

/** What is refused while memory is being rebuilt. */
export function notReady(): QueueError {
  return new QueueError("NOT_READY", "the server is still reading its store; try again shortly");
}
