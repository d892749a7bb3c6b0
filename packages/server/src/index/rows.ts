/**
 * Rows of 32-bit words: the memory that jobs at rest live in. It grows by chunks, nothing is ever copied, and a chunk that
 * emptied is given back. A row that was freed is the next to be used again, while it is still in the processor's cache.
 *
 * All words of a row lie side by side (not one array a column), because the queue meets jobs one at a time and in no order
 * of memory: comparing two ids or reading a job then costs one or two cache misses instead of one a column.
 */
import { invariant } from "../base/assert.ts";

const chunkBits = 14;
const chunkRows = 1 << chunkBits;
const indexMask = chunkRows - 1;

/** Rows there can be at most: their numbers are small integers, also times two. */
const rowsMax = 2 ** 28;

/** The account of one chunk. */
interface Account {
  live: number;
  /** Rows from here on were never used. */
  untouched: number;
  /** First of the freed rows, plus 1; each names the next in its first word. 0 = none. */
  freed: number;
}

/** Stands for a chunk that was given back: all its words read as 0. */
const noWords = new Uint32Array(0);

export class Rows {
  readonly #width: number;
  readonly #chunks: Uint32Array[] = [];
  readonly #accounts: Account[] = [];
  /** Numbers of chunks with a free row; the last one is used first. */
  readonly #roomy: number[] = [];
  /** Numbers of chunks that were given back. */
  readonly #vacant: number[] = [];
  #freeRows = 0;

  /** @param width words of a row */
  constructor(width: number) {
    this.#width = width;
  }

  /** A row for the caller to fill; its words hold what was there before. */
  allocate(): number {
    const number = this.#roomy.at(-1) ?? this.#addChunk();
    const account = this.#accountOf(number);
    let index = account.untouched;
    if (account.freed > 0) {
      index = account.freed - 1;
      account.freed = this.get((number << chunkBits) | index, 0);
    } else {
      account.untouched += 1;
    }
    account.live += 1;
    this.#freeRows -= 1;
    if (account.live === chunkRows) this.#roomy.pop();
    return (number << chunkBits) | index;
  }

  free(row: number): void {
    const number = row >>> chunkBits;
    const account = this.#accountOf(number);
    this.set(row, 0, account.freed);
    account.freed = (row & indexMask) + 1;
    account.live -= 1;
    this.#freeRows += 1;
    if (account.live === chunkRows - 1) this.#roomy.push(number);
    // Another chunk's worth of room stays, so that a number of jobs on the border does not make and drop one all the time.
    if (account.live === 0 && this.#freeRows >= 2 * chunkRows) this.#dropChunk(number);
  }

  /** The words among which a row's are, from {@link start} on: for whoever reads several. */
  words(row: number): Uint32Array {
    return this.#chunks[row >>> chunkBits] ?? noWords;
  }

  /** Where a row begins in its {@link words}. */
  start(row: number): number {
    return (row & indexMask) * this.#width;
  }

  /** A word of a row; 0 for a row of a chunk that is not there. */
  get(row: number, word: number): number {
    const chunk = this.#chunks[row >>> chunkBits];
    return chunk === undefined ? 0 : (chunk[(row & indexMask) * this.#width + word] ?? 0);
  }

  /** @param value taken modulo 2^32 */
  set(row: number, word: number, value: number): void {
    const chunk = this.#chunks[row >>> chunkBits];
    if (chunk !== undefined) chunk[(row & indexMask) * this.#width + word] = value;
  }

  /** Every row that was ever used and whose chunk is there, free ones among them. */
  *touched(): Generator<number> {
    for (const [number, account] of this.#accounts.entries()) {
      for (let index = 0; index < account.untouched; index += 1) yield (number << chunkBits) | index;
    }
  }

  #addChunk(): number {
    const number = this.#vacant.pop() ?? this.#chunks.length;
    invariant(number * chunkRows < rowsMax, "more rows than can be numbered");
    this.#chunks[number] = new Uint32Array(chunkRows * this.#width);
    this.#accounts[number] = { live: 0, untouched: 0, freed: 0 };
    this.#freeRows += chunkRows;
    this.#roomy.push(number);
    return number;
  }

  #dropChunk(number: number): void {
    this.#chunks[number] = noWords;
    this.#accounts[number] = { live: 0, untouched: 0, freed: 0 };
    this.#roomy.splice(this.#roomy.indexOf(number), 1);
    this.#vacant.push(number);
    this.#freeRows -= chunkRows;
  }

  #accountOf(number: number): Account {
    const account = this.#accounts[number];
    invariant(account !== undefined, "no such row");
    return account;
  }
}
