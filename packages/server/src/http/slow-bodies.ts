import type { Clock } from "../base/clock.ts";

/** A body that is being read. */
export interface Awaited {
  /** The tick in which its latest byte came; kept by its reader. */
  heardAt: number;
  /** No byte came for too long. */
  expire(): void;
}

/** How many ticks the time limit is cut into: a body is given up within an eighth more than the limit. */
const TICKS = 8;

/**
 * Notices bodies that have stopped coming. One alarm for all of them, and only while there are any: a body that arrives at once,
 * as nearly all do, costs an entry in a set. Time is counted in ticks, so a clock that is set ends no body early.
 */
export class SlowBodies {
  /** Counts on while anybody is waited for. */
  tick = 0;
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #awaited = new Set<Awaited>();
  #ticking = false;

  /** @param timeoutMs without a byte; 0 = no limit */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#tickMs = Math.ceil(timeoutMs / TICKS);
  }

  add(body: Awaited): void {
    if (this.#tickMs === 0) return;
    this.#awaited.add(body);
    if (!this.#ticking) this.#arm();
  }

  delete(body: Awaited): void {
    this.#awaited.delete(body);
  }

  #arm(): void {
    this.#ticking = true;
    this.#clock.after(this.#tickMs, () => this.#onTick());
  }

  #onTick(): void {
    this.#ticking = false;
    this.tick += 1;
    for (const body of this.#awaited) {
      if (this.tick - body.heardAt <= TICKS) continue;
      this.#awaited.delete(body);
      body.expire();
    }
    if (this.#awaited.size > 0) this.#arm();
  }
}
