/**
 * Time-ordered ids (SCRU128). From the top: 48 bits of Unix time in ms, a high counter of 24 bits, a low counter of 24 bits,
 * 32 bits of chance. Within one process ids strictly increase, also inside one millisecond:
 *
 *   a new millisecond            the low counter starts anew at random; the high one too, at most once a second
 *   the same, or stepped back    the last time stays and the low counter goes up; overflowing, it carries into the high
 *   by less than 10 s            one, and that into the time
 *   stepped back further         everything starts anew from the new time: the one case in which later ids are smaller
 */
import type { JobId } from "@millrace/protocol/ids";
import type { Clock } from "./clock.ts";
import { idFromWords, idToWords } from "./id-bytes.ts";
import { limits } from "./limits.ts";
import type { Random } from "./random.ts";

const COUNTER_MAX = 0xffffff;
const HIGH_COUNTER_RENEWAL_MS = 1000;
const TWO_POW_16 = 2 ** 16;

export interface IdGeneratorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The largest id given in an earlier life; the rules above hold towards it as if it had been given by this one. */
  readonly above?: JobId | undefined;
}

export class IdGenerator {
  readonly #clock: Clock;
  readonly #random: Random;
  #time = -1;
  #high = 0;
  #low = 0;
  /** When the high counter was drawn. */
  #highTime = -HIGH_COUNTER_RENEWAL_MS;

  constructor(options: IdGeneratorOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    if (options.above !== undefined) this.#resume(options.above);
  }

  /** An id that was never given before. */
  next(): JobId {
    const now = this.#clock.now();
    if (now > this.#time) this.#turn(now);
    else if (now > this.#time - limits.clockStepBackMsMax) this.#count();
    else this.#restart(now);
    return idFromWords(
      Math.floor(this.#time / TWO_POW_16),
      (((this.#time % TWO_POW_16) << 16) | (this.#high >>> 8)) >>> 0,
      (((this.#high & 0xff) << 24) | this.#low) >>> 0,
      this.#random.u32(),
    );
  }

  #turn(now: number): void {
    this.#time = now;
    this.#low = this.#counter();
    if (now - this.#highTime < HIGH_COUNTER_RENEWAL_MS) return;
    this.#highTime = now;
    this.#high = this.#counter();
  }

  #count(): void {
    this.#low += 1;
    if (this.#low <= COUNTER_MAX) return;
    this.#low = 0;
    this.#high += 1;
    if (this.#high <= COUNTER_MAX) return;
    this.#high = 0;
    this.#time += 1;
    this.#low = this.#counter();
  }

  #restart(now: number): void {
    this.#highTime = now - HIGH_COUNTER_RENEWAL_MS;
    this.#turn(now);
  }

  #counter(): number {
    return this.#random.u32() >>> 8;
  }

  #resume(above: JobId): void {
    const words = new Uint32Array(4);
    idToWords(above, words, 0);
    const [w0 = 0, w1 = 0, w2 = 0] = words;
    this.#time = w0 * TWO_POW_16 + (w1 >>> 16);
    this.#high = ((w1 & 0xffff) << 8) | (w2 >>> 24);
    this.#low = w2 & COUNTER_MAX;
    this.#highTime = this.#time;
  }
}
