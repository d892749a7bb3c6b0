/**
 * From an id to the row of its job: open addressing in segments that grow and shrink alone, so that no insert ever waits for
 * the whole table to be copied. An entry is two words, the row and the id's hash. The id itself is read from the row, once:
 * a row is a cache miss away, so everything that can be decided by the hash (other jobs, growing) is.
 */
import { invariant } from "../base/assert.ts";
import type { JobRows } from "./job-rows.ts";

const segmentBits = 8;
const entriesMin = 32;
/** What an entry holds instead of a row; rows begin after them. */
const empty = 0;
const deleted = 1;
const firstRow = 2;

interface Segment {
  /** Pairs of words: row, hash. */
  words: Int32Array;
  live: number;
  /** Entries that are not empty, deleted ones included: they lengthen searches just as much. */
  used: number;
}

export class IdTable {
  readonly #rows: JobRows;
  readonly #segments: Segment[];
  #size = 0;

  constructor(rows: JobRows) {
    this.#rows = rows;
    this.#segments = Array.from({ length: 1 << segmentBits }, () => ({ words: noWords, live: 0, used: 0 }));
  }

  get size(): number {
    return this.#size;
  }

  /** The row of the job with this id, given as words; -1 = unknown. */
  find(id: Uint32Array): number {
    const hash = hashOf(id);
    const { words } = this.#segmentOf(hash);
    if (words.length === 0) return -1;
    for (let at = homeOf(hash, words); ; at = nextOf(at, words)) {
      const entry = words[at] ?? empty;
      if (entry === empty) return -1;
      if (words[at + 1] !== hash || entry === deleted) continue;
      if (this.#rows.compareId(entry - firstRow, id) === 0) return entry - firstRow;
    }
  }

  /**
   * Takes in a row, whose id must be there already.
   * @returns false, and nothing was done, when another row has the same id
   */
  add(row: number): boolean {
    const hash = this.#hashOfRow(row);
    const segment = this.#segmentOf(hash);
    if ((segment.used + 1) * 2 * 5 > segment.words.length * 4) resize(segment);
    const { words } = segment;
    let at = homeOf(hash, words);
    let place = -1;
    for (; words[at] !== empty; at = nextOf(at, words)) {
      const entry = words[at] ?? empty;
      if (entry === deleted) place = place < 0 ? at : place;
      else if (words[at + 1] === hash && this.#rows.compareIds(entry - firstRow, row) === 0) return false;
    }
    if (place < 0) segment.used += 1;
    else at = place;
    words[at] = row + firstRow;
    words[at + 1] = hash;
    segment.live += 1;
    this.#size += 1;
    return true;
  }

  delete(row: number): void {
    const hash = this.#hashOfRow(row);
    const segment = this.#segmentOf(hash);
    const { words } = segment;
    invariant(words.length > 0, "the id of a live job is unknown");
    let at = homeOf(hash, words);
    for (; words[at] !== row + firstRow; at = nextOf(at, words)) {
      invariant(words[at] !== empty, "the id of a live job is unknown");
    }
    // Nothing is searched for beyond an empty entry, so before one a deleted entry need not be remembered.
    const isLast = words[nextOf(at, words)] === empty;
    words[at] = isLast ? empty : deleted;
    if (isLast) segment.used -= 1;
    segment.live -= 1;
    this.#size -= 1;
    if (segment.live * 2 * 8 < words.length && words.length > 2 * entriesMin) resize(segment);
  }

  #hashOfRow(row: number): number {
    this.#rows.copyId(row, idWords);
    return hashOf(idWords);
  }

  #segmentOf(hash: number): Segment {
    const segment = this.#segments[hash >>> (32 - segmentBits)];
    invariant(segment !== undefined, "a hash has 32 bits");
    return segment;
  }
}

// Reused by every call: nothing here waits, so no two calls are ever inside.
const idWords = new Uint32Array(4);
const noWords = new Int32Array(0);
/** The bits of a hash that did not choose the segment. */
const homeMask = 2 ** (32 - segmentBits) - 1;

/** Makes room for half as many again, and forgets what was deleted. */
function resize(segment: Segment): void {
  const { words } = segment;
  const larger = new Int32Array(2 * Math.max(entriesMin, Math.ceil((segment.live + 1) * 1.25 * 1.5)));
  for (let from = 0; from < words.length; from += 2) {
    const entry = words[from] ?? empty;
    if (entry <= deleted) continue;
    const hash = words[from + 1] ?? 0;
    let at = homeOf(hash, larger);
    while (larger[at] !== empty) at = nextOf(at, larger);
    larger[at] = entry;
    larger[at + 1] = hash;
  }
  segment.words = larger;
  segment.used = segment.live;
}

/** Where the search for a hash begins: its lower bits, scaled to any number of entries. */
function homeOf(hash: number, words: Int32Array): number {
  return 2 * Math.floor(((hash & homeMask) * (words.length >>> 1)) / (homeMask + 1));
}

function nextOf(at: number, words: Int32Array): number {
  return at + 2 === words.length ? 0 : at + 2;
}

/** Mixes all words: ids restored from elsewhere may be less random than ours. Signed, 32 bits. */
function hashOf(id: Uint32Array): number {
  let hash = (id[3] ?? 0) | 0;
  hash = (Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) + (id[2] ?? 0)) | 0;
  hash = (Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) + (id[1] ?? 0)) | 0;
  hash = (Math.imul(hash ^ (hash >>> 16), 0x9e3779b1) + (id[0] ?? 0)) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 16);
}
