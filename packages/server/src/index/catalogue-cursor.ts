import type { Block } from "./catalogue-block.ts";
import type { Slot } from "./job-table.ts";

/** A walk over blocks in either direction. Not a generator: lists and counts walk over millions. */
export class CatalogueCursor {
  readonly #blocks: readonly Block[];
  readonly #step: 1 | -1;
  #index: number;
  #place: number;

  /** @param index the block to begin with; default the first in this order */
  constructor(blocks: readonly Block[], order: "asc" | "desc", index = order === "asc" ? 0 : blocks.length - 1) {
    this.#blocks = blocks;
    this.#step = order === "asc" ? 1 : -1;
    this.#index = index;
    this.#place = this.#firstPlace();
  }

  /** The next slot; -1 = the end. */
  next(): Slot {
    for (let block = this.#blocks[this.#index]; block !== undefined; block = this.#blocks[this.#index]) {
      while (this.#place >= 0 && this.#place < block.length) {
        const slot = block.at(this.#place);
        this.#place += this.#step;
        if (slot >= 0) return slot;
      }
      this.#index += this.#step;
      this.#place = this.#firstPlace();
    }
    return -1;
  }

  /** Goes on to before the first slot for which `isBehind` is false. */
  skip(isBehind: (slot: Slot) => boolean): void {
    for (;;) {
      const index = this.#index;
      const place = this.#place;
      const slot = this.next();
      if (slot >= 0 && isBehind(slot)) continue;
      this.#index = index;
      this.#place = place;
      return;
    }
  }

  #firstPlace(): number {
    return this.#step === 1 ? 0 : (this.#blocks[this.#index]?.length ?? 0) - 1;
  }
}
