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
    const values = Array.from({ length: 20_000 }, () => random.next());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      expect(values.filter((value) => Math.floor(value * 10) === tenth).length).toBeGreaterThan(1700);
    }
  });

  test("gives 32-bit integers whose every bit is set half the time", () => {
    const random = open();
    const values = Array.from({ length: 10_000 }, () => random.u32());
    expect(values.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32)).toBe(true);
    for (let bit = 0; bit < 32; bit += 1) {
      const ones = values.filter((value) => ((value >>> bit) & 1) === 1).length;
      expect(Math.abs(ones - 5000)).toBeLessThan(300);
    }
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
