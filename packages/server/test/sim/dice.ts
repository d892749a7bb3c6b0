import type { Random } from "../../src/base/random.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";

/** Chance in the shapes that a world needs. Whoever draws often has dice of its own, so that one more draw here changes nothing there. */
export class Dice {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** New dice, seeded by these. */
  fork(): Dice {
    return new Dice(this.seed());
  }

  /** A seed for somebody else's chance. */
  seed(): number {
    return this.#random.u32();
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  /** An integer, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.#random.next() * (max - min + 1));
  }

  /** A real number, the upper end left out. */
  spread(min: number, max: number): number {
    return min + this.#random.next() * (max - min);
  }

  /** Mostly near `min`, now and then near `max`: how real delays are. */
  skewed(min: number, max: number): number {
    return min + this.#random.next() ** 4 * (max - min);
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  /** Undefined when there is nothing to choose from. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items[this.between(0, items.length - 1)];
  }
}
