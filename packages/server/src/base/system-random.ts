import { randomFillSync } from "node:crypto";
import type { Random } from "./random.ts";

/** Numbers fetched from the system at once: asking for each alone would cost more than an id. */
const POOL_SIZE = 1024;
const TWO_POW_21 = 2 ** 21;
const TWO_POW_53 = 2 ** 53;

/** The system's cryptographic chance, see {@link Random}. Only `serve.ts` makes one. */
export class SystemRandom implements Random {
  readonly #pool = new Uint32Array(POOL_SIZE);
  #used = POOL_SIZE;

  next(): number {
    return (this.u32() * TWO_POW_21 + (this.u32() >>> 11)) / TWO_POW_53;
  }

  u32(): number {
    if (this.#used === POOL_SIZE) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const value = this.#pool[this.#used] ?? 0;
    // What was given out must not be found in memory later.
    this.#pool[this.#used] = 0;
    this.#used += 1;
    return value;
  }
}
