import { type Instant, instant } from "@millrace/protocol/ids";
import type { Alarm, Clock } from "../../src/base/clock.ts";

/** A clock that a test moves by hand, beside real sockets. */
export class ManualClock implements Clock {
  #now = 1_773_464_269_527;
  #waiting: (() => void)[] = [];
  readonly #alarms = new Set<{ readonly at: number; readonly ms: number; readonly ring: () => void }>();

  now(): Instant {
    return instant(this.#now);
  }

  after(ms: number, ring: () => void): Alarm {
    const alarm = { at: this.#now + ms, ms, ring };
    this.#alarms.add(alarm);
    for (const wake of this.#waiting.splice(0)) wake();
    return { cancel: () => this.#alarms.delete(alarm) };
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Rings, in order, all that is due within the next `ms`. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = Array.from(this.#alarms).sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#alarms.delete(next);
      this.#now = next.at;
      next.ring();
    }
    this.#now = end;
  }

  /** Resolves when so many alarms of that delay are set. */
  async untilSet(ms: number, count = 1): Promise<void> {
    while (Array.from(this.#alarms).filter((alarm) => alarm.ms === ms).length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  get pending(): number {
    return this.#alarms.size;
  }
}
