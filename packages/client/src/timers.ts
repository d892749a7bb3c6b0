/** Something set that can be taken back. Cancelling twice, or after it rang, does nothing. */
export interface Alarm {
  cancel(): void;
}

/** The client's only source of time, so that tests can hold it still. */
export interface Timers {
  /** Milliseconds from any fixed point; never steps back. */
  now(): number;
  /** Rings once, not before `ms` milliseconds have passed; more than 2^31 - 1 (24.8 days) count as that. */
  after(ms: number, ring: () => void): Alarm;
  /** Runs after the events that are already waiting, without a delay: what ends in one turn can share one request. */
  soon(run: () => void): void;
}

/** Beyond this setTimeout() rings at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** The machine's time. An alarm keeps the process alive until it rings or is cancelled. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after(ms, ring) {
    const timer = setTimeout(ring, Math.min(ms, TIMEOUT_MS_MAX));
    return { cancel: () => clearTimeout(timer) };
  },
  soon(run) {
    setImmediate(run);
  },
};

/** Resolves when `ms` milliseconds have passed, or at once when the signal fires; it never rejects. */
export function pause(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      alarm.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const alarm = timers.after(ms, end);
    signal.addEventListener("abort", end);
  });
}
