/**
 * A set of priorities (u16) that knows its least: three levels of bits, each saying which words of the one below are not
 * empty. Every operation is three steps, also with all 65,536 in use; 8 KiB.
 */
export class PriorityLevels {
  readonly #bits = new Uint32Array(2048);
  readonly #words = new Uint32Array(64);
  readonly #blocks = new Uint32Array(2);

  /** The least priority; -1 = empty. */
  get least(): number {
    const block = this.#blocks[0] === 0 ? 1 : 0;
    const blocks = this.#blocks[block] ?? 0;
    if (blocks === 0) return -1;
    const word = block * 32 + lowestBit(blocks);
    const bit = word * 32 + lowestBit(this.#words[word] ?? 0);
    return bit * 32 + lowestBit(this.#bits[bit] ?? 0);
  }

  add(priority: number): void {
    setBit(this.#bits, priority);
    setBit(this.#words, priority >>> 5);
    setBit(this.#blocks, priority >>> 10);
  }

  delete(priority: number): void {
    if (clearBit(this.#bits, priority)) return;
    if (clearBit(this.#words, priority >>> 5)) return;
    clearBit(this.#blocks, priority >>> 10);
  }
}

function setBit(words: Uint32Array, bit: number): void {
  words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

/** Whether the bit's word still holds others. */
function clearBit(words: Uint32Array, bit: number): boolean {
  const left = (words[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
  words[bit >>> 5] = left;
  return left !== 0;
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
