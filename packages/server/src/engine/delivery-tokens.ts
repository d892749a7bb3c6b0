/**
 * Tokens that name one handing-over of a job (http-api.md E2): the writer epoch and a counter, both of fixed width, so that
 * the tokens of one job sort bytewise in the order of its hand-outs. The epoch is made durable at each start and only ever
 * grows, so a token of an earlier life can never equal a new one although claims are not synced.
 */
import type { DeliveryToken } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";

/** 36^7 seconds since 1970 end in the year 4453. */
const EPOCH_WIDTH = 7;
/** 36^10 hand-outs in one life. */
const COUNTER_WIDTH = 10;
/** The counter's low digits change with each token; its high ones and the epoch are kept as one prefix. */
const LOW_WIDTH = 4;
const LOW_SPAN = 36 ** LOW_WIDTH;

export class DeliveryTokens {
  readonly #epoch: string;
  #high = 0;
  #low = 0;
  #prefix: string;

  /** @param epoch the writer epoch of this life, an integer below 36^7 */
  constructor(epoch: number) {
    const text = epoch.toString(36).padStart(EPOCH_WIDTH, "0");
    invariant(text.length === EPOCH_WIDTH, "the writer epoch outgrew its width");
    this.#epoch = text;
    this.#prefix = this.#prefixOf(0);
  }

  next(): DeliveryToken {
    const token = this.#prefix + this.#low.toString(36).padStart(LOW_WIDTH, "0");
    this.#low += 1;
    if (this.#low === LOW_SPAN) {
      this.#low = 0;
      this.#high += 1;
      this.#prefix = this.#prefixOf(this.#high);
    }
    return token as DeliveryToken;
  }

  #prefixOf(high: number): string {
    return this.#epoch + high.toString(36).padStart(COUNTER_WIDTH - LOW_WIDTH, "0");
  }
}
