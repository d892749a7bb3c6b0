import type { JobId } from "@millrace/protocol/ids";
import fc from "fast-check";
import { expect, test } from "vitest";
import { idToBytes } from "../../src/base/id-bytes.ts";
import { IdGenerator } from "../../src/base/id-generator.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import { HandClock } from "./hand-clock.ts";

interface Parts {
  readonly time: number;
  readonly high: number;
  readonly low: number;
}

function partsOf(id: JobId): Parts {
  const bytes = Buffer.alloc(16);
  idToBytes(id, bytes, 0);
  return { time: bytes.readUIntBE(0, 6), high: bytes.readUIntBE(6, 3), low: bytes.readUIntBE(9, 3) };
}

/** Chance at the edge: every draw is the largest, so that counters overflow at once. */
const largest = { next: () => 0.999, u32: () => 0xffffffff };

test("ids strictly increase while the clock runs, stands, or steps back by less than 10 s", () => {
  const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -3000, max: 3000 })), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.nat(), (moves, seed) => {
      const clock = new HandClock();
      const ids = new IdGenerator({ clock, random: new SeededRandom(seed) });
      let latest = clock.time;
      let last = ids.next();
      for (const move of moves) {
        clock.time = Math.max(clock.time + move, latest - 9000);
        latest = Math.max(latest, clock.time);
        const id = ids.next();
        expect(id > last).toBe(true);
        last = id;
      }
    }),
  );
});

test("100 000 ids of one millisecond are all different and in order", () => {
  const ids = new IdGenerator({ clock: new HandClock(), random: new SeededRandom(1) });
  const given = Array.from({ length: 100_000 }, () => ids.next());
  expect(new Set(given).size).toBe(given.length);
  expect(given.slice().sort()).toEqual(given);
});

test("an id holds the time of the clock", () => {
  const clock = new HandClock(1_700_000_000_123);
  const ids = new IdGenerator({ clock, random: new SeededRandom(2) });
  expect(partsOf(ids.next()).time).toBe(1_700_000_000_123);
});

test("within a millisecond the low counter goes up by one; in the next it starts anew", () => {
  const clock = new HandClock();
  const ids = new IdGenerator({ clock, random: new SeededRandom(3) });
  const [first, second] = [partsOf(ids.next()), partsOf(ids.next())];
  expect(second).toEqual({ ...first, low: first.low + 1 });
  clock.time += 1;
  const third = partsOf(ids.next());
  expect(third.time).toBe(first.time + 1);
  expect(third.low).not.toBe(second.low + 1);
});

test("the high counter is drawn anew at most once a second", () => {
  const clock = new HandClock();
  const ids = new IdGenerator({ clock, random: new SeededRandom(4) });
  const first = partsOf(ids.next());
  clock.time += 999;
  expect(partsOf(ids.next()).high).toBe(first.high);
  clock.time += 1;
  expect(partsOf(ids.next()).high).not.toBe(first.high);
});

test("counters that overflow carry into the time", () => {
  const clock = new HandClock();
  const ids = new IdGenerator({ clock, random: largest });
  const first = partsOf(ids.next());
  expect(first).toEqual({ time: clock.time, high: 0xffffff, low: 0xffffff });
  expect(partsOf(ids.next())).toEqual({ time: clock.time + 1, high: 0, low: 0xffffff });
  expect(partsOf(ids.next())).toEqual({ time: clock.time + 1, high: 1, low: 0 });
});

test("a clock that steps back by 10 s or more makes ids start from the new time", () => {
  const clock = new HandClock();
  const ids = new IdGenerator({ clock, random: new SeededRandom(5) });
  const before = partsOf(ids.next());
  clock.time -= 9_999;
  expect(partsOf(ids.next())).toEqual({ ...before, low: before.low + 1 });
  clock.time -= 1;
  const after = partsOf(ids.next());
  expect(after.time).toBe(before.time - 10_000);
  expect(partsOf(ids.next()).low).toBe(after.low + 1);
});

test("a new life starts above the largest id of the one before, also when the clock has not moved", () => {
  const clock = new HandClock();
  const above = new IdGenerator({ clock, random: new SeededRandom(6) }).next();
  for (const step of [0, -5000, 5000]) {
    clock.time += step;
    const ids = new IdGenerator({ clock, random: new SeededRandom(7), above });
    expect(ids.next() > above).toBe(true);
  }
});

test("one seed and one clock give one sequence", () => {
  const sequence = () => {
    const ids = new IdGenerator({ clock: new HandClock(), random: new SeededRandom(8) });
    return [ids.next(), ids.next(), ids.next()];
  };
  expect(sequence()).toEqual(sequence());
});
