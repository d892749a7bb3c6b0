import type { Random } from "./random.ts";

const TWO_POW_21 = 2 ** 21;
const TWO_POW_53 = 2 ** 53;
/** Rounds until every bit of the seed has reached every bit of the state. */
const WARM_UP_ROUNDS = 16;

/**
 * Chance that repeats: one seed, one sequence, on any machine, for simulation and tests. A small fast counting generator
 * (sfc32): 128 bits of state, of which 32 only count, so that no seed leads into a short cycle.
 */
export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed any u32; near seeds give unrelated sequences */
  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = (seed ^ 0x9e3779b9) | 0;
    this.#c = 0x243f6a88;
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) this.u32();
  }

  next(): number {
    return (this.u32() * TWO_POW_21 + (this.u32() >>> 11)) / TWO_POW_53;
  }

  u32(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + result;
    this.#c |= 0;
    return result >>> 0;
  }
}
