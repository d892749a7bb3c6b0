/**
 * From an id to the row of its job: open addressing in segments that grow and shrink alone, so that no insert ever waits for
 * the whole table to be copied. Four bytes an entry: ids are not repeated here, they are read from the rows; five bits of
 * the hash beside the row's number spare most looks at rows of other jobs.
 */
import { invariant } from "../base/assert.ts";
import type { JobRows } from "./job-rows.ts";
import { rowsMax } from "./rows.ts";

const segmentBits = 10;
const segmentEntriesMin = 16;
const rowBits = 27;
const rowMask = 2 ** rowBits - 1;
const tagMask = 31;
/** What an entry holds instead of a row; rows begin after them. */
const empty = 0;
const deleted = 1;
const firstRow = 2;

invariant(rowsMax + firstRow <= 2 ** rowBits, "an entry must hold any row");

interface Segment {
  entries: Uint32Array;
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
    const none = new Uint32Array(0);
    this.#segments = Array.from({ length: 1 << segmentBits }, () => ({ entries: none, live: 0, used: 0 }));
  }

  get size(): number {
    return this.#size;
  }

  /** The row of the job with this id, given as words; -1 = unknown. */
  find(id: Uint32Array): number {
    const hash = hashOf(id[0] ?? 0, id[1] ?? 0, id[2] ?? 0, id[3] ?? 0);
    const { entries } = this.#segmentOf(hash);
    if (entries.length === 0) return -1;
    const tag = hash & tagMask;
    for (let at = homeOf(hash, entries.length); ; at = (at + 1) & (entries.length - 1)) {
      const entry = entries[at] ?? empty;
      if (entry === empty) return -1;
      if (entry >>> rowBits !== tag || entry === deleted) continue;
      const row = (entry & rowMask) - firstRow;
      if (this.#rows.compareId(row, id) === 0) return row;
    }
  }

  /** The row's id must be there already, and unknown here. */
  add(row: number): void {
    const hash = this.#hashOfRow(row);
    const segment = this.#segmentOf(hash);
    if ((segment.used + 1) * 5 > segment.entries.length * 4) this.#resize(segment);
    const { entries } = segment;
    let at = homeOf(hash, entries.length);
    for (; (entries[at] ?? empty) > deleted; at = (at + 1) & (entries.length - 1));
    if (entries[at] === empty) segment.used += 1;
    entries[at] = entryOf(hash, row);
    segment.live += 1;
    this.#size += 1;
  }

  delete(row: number): void {
    const hash = this.#hashOfRow(row);
    const segment = this.#segmentOf(hash);
    const { entries } = segment;
    const wanted = entryOf(hash, row);
    let at = homeOf(hash, entries.length);
    for (; entries[at] !== wanted; at = (at + 1) & (entries.length - 1)) {
      invariant(entries[at] !== empty && entries.length > 0, "the id of a live job is unknown");
    }
    const isLastOfSearch = entries[(at + 1) & (entries.length - 1)] === empty;
    entries[at] = isLastOfSearch ? empty : deleted;
    if (isLastOfSearch) segment.used -= 1;
    segment.live -= 1;
    this.#size -= 1;
    if (entries.length > segmentEntriesMin && segment.live * 8 < entries.length) this.#resize(segment);
  }

  /** Half full afterwards at most, without deleted entries. */
  #resize(segment: Segment): void {
    let length = segmentEntriesMin;
    while (length < (segment.live + 1) * 2) length *= 2;
    const entries = new Uint32Array(length);
    for (const entry of segment.entries) {
      if (entry <= deleted) continue;
      let at = homeOf(this.#hashOfRow((entry & rowMask) - firstRow), length);
      while (entries[at] !== empty) at = (at + 1) & (length - 1);
      entries[at] = entry;
    }
    segment.entries = entries;
    segment.used = segment.live;
  }

  #hashOfRow(row: number): number {
    const rows = this.#rows;
    return hashOf(rows.idWord(row, 0), rows.idWord(row, 1), rows.idWord(row, 2), rows.idWord(row, 3));
  }

  #segmentOf(hash: number): Segment {
    const segment = this.#segments[hash >>> (32 - segmentBits)];
    invariant(segment !== undefined, "a hash has 32 bits");
    return segment;
  }
}

/** Mixes all words: ids restored from elsewhere may be less random than ours. A signed 32-bit integer. */
function hashOf(w0: number, w1: number, w2: number, w3: number): number {
  let hash = w3 | 0;
  hash = (Math.imul(hash ^ (hash >>> 16), 0x85ebca6b) + w2) | 0;
  hash = (Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35) + w1) | 0;
  hash = (Math.imul(hash ^ (hash >>> 16), 0x9e3779b1) + w0) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 16);
}

/** Where a search begins: the upper bits of a product, since the hash's own upper bits chose the segment. */
function homeOf(hash: number, length: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (Math.clz32(length) + 1);
}

function entryOf(hash: number, row: number): number {
  return (((hash & tagMask) << rowBits) | (row + firstRow)) >>> 0;
}
