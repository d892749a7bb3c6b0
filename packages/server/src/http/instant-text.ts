import type { U64 } from "@millrace/protocol/ids";

/** The last three digits of any number, with their zeros. */
const THREE_DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, "0"));

/**
 * Instants as decimal text. Turning a number of 13 digits into text is slow, but instants that follow one another mostly share all but
 * their last six digits: only these are made anew.
 */
export class InstantText {
  #millions = -1;
  #text = "";

  of(value: U64): string {
    if (typeof value === "bigint" || value < 1_000_000) return String(value);
    const millions = Math.floor(value / 1_000_000);
    if (millions !== this.#millions) {
      this.#millions = millions;
      this.#text = String(millions);
    }
    const rest = value - millions * 1_000_000;
    const thousands = (rest / 1000) | 0;
    return this.#text + THREE_DIGITS[thousands] + THREE_DIGITS[rest - thousands * 1000];
  }
}
