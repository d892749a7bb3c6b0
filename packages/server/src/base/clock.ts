import type { Instant } from "@millrace/protocol/ids";

/** Something set that can be taken back. Cancelling twice, or after it went off, does nothing. */
export interface Alarm {
  cancel(): void;
}

/**
 * The only source of time below `serve.ts`. Contract (conformance/clock.ts):
 *   T1. `now()` is an integer count of milliseconds; it may step back when somebody sets the system's clock.
 *   T2. `after(ms, ring)` rings once, not before `ms` have passed; any `ms` from 0 to 2^53 - 1 is legal
 *       (a platform whose timers wrap at 24.8 days is waited on in parts); a negative `ms` counts as 0.
 *   T3. A cancelled alarm never rings.
 *   T4. `soon(run)` runs after the events that are already waiting, without a delay: it is what lets everything that
 *       arrives in one turn of the event loop share one write. Calls run in order.
 *   T5. No alarm keeps a process alive that has nothing else to do.
 */
export interface Clock {
  now(): Instant;
  after(ms: number, ring: () => void): Alarm;
  soon(run: () => void): void;
}
