/**
 * Sorted ranges of ids, united and intersected without reading what lies between: each source is asked for its first id not
 * before a target, and the farthest answer is the next target (a leapfrog join). A target that its window holds is found
 * without waiting; only a new window is awaited.
 *
 * Ids are here the 16 bytes at the end of index keys as latin1 text: cheap to compare, in the order of ids.
 */
import type { KvReader } from "../kv/kv.ts";
import { ID_BYTES, rangeOf } from "./keyspace.ts";
import { RangeWindow } from "./range-window.ts";

export type Order = "asc" | "desc";

/** A window was of use if it gave at least one in so many of its entries. */
const usefulShare = 8;

export interface IdSource {
  /** The first id from `target` on, in order, as far as it is known without waiting. */
  next(target: string): string | undefined;
  /** Whether an undefined `next` means that there is none, not that it must be loaded. */
  knows(target: string): boolean;
  load(target: string): Promise<void>;
}

/** The ids of all index keys that begin with one prefix. */
export class RangeIds implements IdSource {
  readonly #prefix: Buffer;
  readonly #order: Order;
  readonly #window: RangeWindow;
  #place = 0;
  #given = 0;
  #isLoaded = false;

  constructor(reader: KvReader, prefix: Buffer, order: Order) {
    this.#prefix = prefix;
    this.#order = order;
    this.#window = new RangeWindow(reader, { ...rangeOf(prefix), reverse: order === "desc" });
  }

  next(target: string): string | undefined {
    const { entries } = this.#window;
    for (; this.#place < entries.length; this.#place += 1) {
      const id = this.#idAt(this.#place);
      if (id === undefined || isBefore(id, target, this.#order)) continue;
      this.#given += 1;
      return id;
    }
    return undefined;
  }

  knows(): boolean {
    return this.#isLoaded && (this.#window.isDone || this.#place < this.#window.entries.length);
  }

  async load(target: string): Promise<void> {
    const isWalk = this.#given * usefulShare >= this.#window.entries.length;
    await this.#window.load(Buffer.concat([this.#prefix, Buffer.from(target, "latin1")]), isWalk);
    this.#isLoaded = true;
    this.#place = 0;
    this.#given = 0;
  }

  #idAt(place: number): string | undefined {
    const key = this.#window.entries[place]?.[0];
    return key?.toString("latin1", key.length - ID_BYTES);
  }
}

/** The ids of any of several sources. */
export class UnitedIds implements IdSource {
  readonly #sources: readonly IdSource[];
  readonly #order: Order;

  constructor(sources: readonly IdSource[], order: Order) {
    this.#sources = sources;
    this.#order = order;
  }

  next(target: string): string | undefined {
    let first: string | undefined;
    for (const source of this.#sources) {
      const id = source.next(target);
      if (id === undefined && !source.knows(target)) return undefined;
      if (id !== undefined && (first === undefined || isBefore(id, first, this.#order))) first = id;
    }
    return first;
  }

  knows(target: string): boolean {
    return this.#sources.every((source) => source.next(target) !== undefined || source.knows(target));
  }

  async load(target: string): Promise<void> {
    const lacking = this.#sources.filter((source) => source.next(target) === undefined && !source.knows(target));
    await Promise.all(lacking.map((source) => source.load(target)));
  }
}

/** Ids that all sources hold, in order, from `start` on. */
export async function* commonIds(
  sources: readonly IdSource[],
  start: string,
  order: Order,
): AsyncGenerator<string, void, undefined> {
  let target: string | undefined = start;
  let agreeing = 0;
  for (let turn = 0; target !== undefined; turn = (turn + 1) % sources.length) {
    const source = sources[turn];
    if (source === undefined) return;
    let id = source.next(target);
    while (id === undefined && !source.knows(target)) {
      await source.load(target);
      id = source.next(target);
    }
    if (id === undefined) return;
    agreeing = id === target ? agreeing + 1 : 1;
    target = id;
    if (agreeing < sources.length) continue;
    yield id;
    target = neighbour(id, order);
    agreeing = 0;
  }
}

/** The place right behind an id, in order; undefined behind the last. */
export function neighbour(id: string, order: Order): string | undefined {
  const bytes = Buffer.from(id, "latin1");
  const [end, start] = order === "asc" ? [0xff, 0] : [0, 0xff];
  for (let i = bytes.length - 1; i >= 0; i -= 1) {
    const byte = bytes[i] ?? 0;
    if (byte !== end) {
      bytes[i] = order === "asc" ? byte + 1 : byte - 1;
      return bytes.toString("latin1");
    }
    bytes[i] = start;
  }
  return undefined;
}

/** Where a walk over all ids begins. */
export function firstPlace(order: Order): string {
  return (order === "asc" ? "\x00" : "\xff").repeat(ID_BYTES);
}

function isBefore(a: string, b: string, order: Order): boolean {
  return order === "asc" ? a < b : a > b;
}
