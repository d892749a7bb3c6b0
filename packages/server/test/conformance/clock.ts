/** The numbered contract of base/clock.ts, for any clock. A clock under test brings the means to let time pass. */
import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Lets at least `ms` pass, and everything happen that was to happen by then. */
  pass(ms: number): Promise<void>;
}

/** @param open a fresh clock for each test */
export function exerciseClock(name: string, open: () => ClockUnderTest): void {
  test(`${name} T1: now() is a whole number of milliseconds and goes on`, async () => {
    const { clock, pass } = open();
    const before = clock.now();
    expect(Number.isSafeInteger(before)).toBe(true);
    await pass(5);
    expect(clock.now()).toBeGreaterThanOrEqual(before + 5);
  });

  test(`${name} T2: an alarm rings once, and not before its time`, async () => {
    const { clock, pass } = open();
    const set = clock.now();
    const rings: number[] = [];
    clock.after(10, () => rings.push(clock.now()));
    await pass(40);
    expect(rings).toHaveLength(1);
    expect(rings[0]).toBeGreaterThanOrEqual(set + 10);
  });

  test(`${name} T2: a negative delay counts as 0`, async () => {
    const { clock, pass } = open();
    let rings = 0;
    clock.after(-1, () => {
      rings += 1;
    });
    clock.after(Number.MIN_SAFE_INTEGER, () => {
      rings += 1;
    });
    await pass(10);
    expect(rings).toBe(2);
  });

  test(`${name} T2: a delay beyond what a platform's timer holds does not ring at once`, async () => {
    const { clock, pass } = open();
    let rings = 0;
    const alarms = [2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER].map((ms) =>
      clock.after(ms, () => {
        rings += 1;
      }),
    );
    await pass(20);
    expect(rings).toBe(0);
    for (const alarm of alarms) alarm.cancel();
  });

  test(`${name} T2: alarms ring in the order of their times`, async () => {
    const { clock, pass } = open();
    const rings: number[] = [];
    for (const ms of [30, 1, 15]) clock.after(ms, () => rings.push(ms));
    await pass(60);
    expect(rings).toEqual([1, 15, 30]);
  });

  test(`${name} T3: a cancelled alarm never rings, and cancelling is harmless at any time`, async () => {
    const { clock, pass } = open();
    const rings: string[] = [];
    const cancelled = clock.after(5, () => rings.push("cancelled"));
    const rung = clock.after(5, () => rings.push("rung"));
    cancelled.cancel();
    cancelled.cancel();
    await pass(20);
    rung.cancel();
    await pass(20);
    expect(rings).toEqual(["rung"]);
  });

  test(`${name} T4: what is to run soon runs in order, after the promises that are settled already, without a delay`, async () => {
    const { clock, pass } = open();
    const seen: string[] = [];
    clock.soon(() => seen.push("first"));
    clock.soon(() => {
      seen.push("second");
      clock.soon(() => seen.push("fourth"));
    });
    clock.soon(() => seen.push("third"));
    void Promise.resolve().then(() => seen.push("promise"));
    await pass(10);
    expect(seen).toEqual(["promise", "first", "second", "third", "fourth"]);
  });

  test(`${name} T5: an alarm does not keep the process alive`, () => {
    const { clock } = open();
    const before = timeouts();
    const alarm = clock.after(60_000, () => undefined);
    expect(timeouts()).toBe(before);
    alarm.cancel();
  });
}

/** Timers that keep this process alive; those that do not are left out by Node. */
function timeouts(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}
