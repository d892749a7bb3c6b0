import type { KvEntry, KvRange, KvReader } from "../kv/kv.ts";
import { behind } from "./keyspace.ts";

/** A first page of a list needs some 50 entries; long walks are cheapest in pages of a thousand. */
const firstEntries = 64;
const entriesMax = 1024;

/**
 * Walks a range in windows that begin small and grow while they are used up, and jumps ahead on demand: a jump is a new scan,
 * which costs less than reading what lies between. Works in either direction; "from" and "next" are in that direction.
 */
export class RangeWindow {
  readonly #reader: KvReader;
  readonly #reverse: boolean;
  #gte: Uint8Array;
  #lt: Uint8Array;
  /** Entries of the next window. */
  #size = firstEntries;
  #entries: readonly KvEntry[] = [];
  #isDone = false;

  constructor(reader: KvReader, range: KvRange) {
    this.#reader = reader;
    this.#reverse = range.reverse ?? false;
    this.#gte = range.gte;
    this.#lt = range.lt;
  }

  /** What the last {@link load} brought, in order. */
  get entries(): readonly KvEntry[] {
    return this.#entries;
  }

  /** Whether nothing follows the entries at hand. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * Reads the next window.
   * @param from the first key that is still wanted, inclusive; by default what follows the last window
   * @param isWalk whether the last window was worth its size: this one is then twice as large, else small again
   */
  async load(from?: Uint8Array, isWalk = true): Promise<void> {
    if (from !== undefined) this.#jump(from);
    const size = isWalk ? this.#size : firstEntries;
    this.#size = Math.min(entriesMax, size * 2);
    const entries: KvEntry[] = [];
    const range = { gte: this.#gte, lt: this.#lt, reverse: this.#reverse, limit: size };
    for await (const page of this.#reader.scan(range)) entries.push(...page);
    const last = entries.at(-1);
    if (last !== undefined) this.#pass(last[0]);
    this.#entries = entries;
    this.#isDone = entries.length < size;
  }

  #jump(key: Uint8Array): void {
    if (this.#reverse) {
      const end = behind(key);
      if (Buffer.compare(end, this.#lt) < 0) this.#lt = end;
    } else if (Buffer.compare(key, this.#gte) > 0) {
      this.#gte = key;
    }
  }

  #pass(key: Uint8Array): void {
    if (this.#reverse) this.#lt = key;
    else this.#gte = behind(key);
  }
}
