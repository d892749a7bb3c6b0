import { type Instant, instant } from "@millrace/protocol/ids";
import type { Alarm, Clock } from "./clock.ts";

/** Node's timers hold 31 bits of milliseconds, 24.8 days, and ring at once beyond. */
const PART_MS_MAX = 2 ** 31 - 1;

/** The machine's time, see {@link Clock}. Only `serve.ts` makes one. */
export class SystemClock implements Clock {
  now(): Instant {
    return instant(Date.now());
  }

  after(ms: number, ring: () => void): Alarm {
    return new SystemAlarm(ms, ring);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }
}

/**
 * One alarm, waited for in parts. Its time is measured by the monotonic clock: setting the system's clock must not move it,
 * and a timer that rings a fraction of a millisecond early, as Node's do, is sent back to wait for the rest.
 */
class SystemAlarm implements Alarm {
  readonly #at: number;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout;

  constructor(ms: number, ring: () => void) {
    this.#at = performance.now() + Math.max(0, ms);
    this.#ring = ring;
    this.#timer = this.#wait();
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #wait(): NodeJS.Timeout {
    const part = Math.min(Math.max(0, this.#at - performance.now()), PART_MS_MAX);
    // T5: unref, so that a waiting alarm does not keep the process alive.
    return setTimeout(() => this.#look(), Math.ceil(part)).unref();
  }

  #look(): void {
    if (performance.now() >= this.#at) this.#ring();
    else this.#timer = this.#wait();
  }
}
