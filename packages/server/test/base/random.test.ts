import { describe, expect, test } from "vitest";
import type { Random } from "../../src/base/random.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import { SystemRandom } from "../../src/base/system-random.ts";

const sources: readonly (readonly [name: string, open: () => Random])[] = [
  ["SystemRandom", () => new SystemRandom()],
  ["SeededRandom", () => new SeededRandom(42)],
  ["SeededRandom of seed 0", () => new SeededRandom(0)],
];

describe.each(sources)("%s", (_, open) => {
  test("gives doubles in [0, 1) that fill the range evenly", () => {
    const random = open();
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i += 1) {
      const value = random.next();
      expect(value >= 0 && value < 1).toBe(true);
      counts[Math.floor(value * 10)] = (counts[Math.floor(value * 10)] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(1700);
  });

  test("gives 32-bit integers whose every bit is set half the time", () => {
    const random = open();
    const set = new Array<number>(32).fill(0);
    for (let i = 0; i < 10_000; i += 1) {
      const value = random.u32();
      expect(Number.isInteger(value) && value >= 0 && value < 2 ** 32).toBe(true);
      for (let bit = 0; bit < 32; bit += 1) set[bit] = (set[bit] ?? 0) + ((value >>> bit) & 1);
    }
    expect(Math.min(...set)).toBeGreaterThan(4700);
    expect(Math.max(...set)).toBeLessThan(5300);
  });
});

test("a seed repeats its sequence, and near seeds do not share one", () => {
  const sequence = (seed: number) => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 5 }, () => random.u32());
  };
  expect(sequence(7)).toEqual(sequence(7));
  const all = Array.from({ length: 100 }, (_, seed) => sequence(seed)).flat();
  expect(new Set(all).size).toBe(all.length);
});
