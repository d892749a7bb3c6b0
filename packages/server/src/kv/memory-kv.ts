/**
 * Kv without a disk, for a server that may forget: nothing survives the process. Everything else of the contract holds,
 * so the engine above cannot tell the difference.
 */
import { invariant } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { ByteTree, type FrozenTree } from "./byte-tree.ts";
import type { Kv, KvBatch, KvEntry, KvRange, KvSnapshot } from "./kv.ts";

const pageEntriesMax = 1000;

export interface MemoryKvOptions {
  /** With a clock, a scan lets waiting events have their turn between two pages; without one it only awaits. */
  readonly clock?: Clock;
}

export class MemoryKv implements Kv {
  readonly #tree = new ByteTree();
  readonly #clock: Clock | undefined;

  constructor(options: MemoryKvOptions = {}) {
    this.#clock = options.clock;
  }

  batch(): KvBatch {
    return new MemoryBatch(this.#tree);
  }

  get(key: Uint8Array): Buffer | undefined {
    return valueIn(this.#tree, key);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    return keys.map((key) => valueIn(this.#tree, key));
  }

  scan(range: KvRange): AsyncIterable<readonly KvEntry[]> {
    return pages(this.#tree, range, this.#clock);
  }

  snapshot(): KvSnapshot {
    const frozen = this.#tree.freeze();
    return {
      get: (key) => valueIn(frozen, key),
      getMany: async (keys) => keys.map((key) => valueIn(frozen, key)),
      scan: (range) => pages(frozen, range, this.#clock),
      close: async () => {},
    };
  }

  async close(): Promise<void> {}
}

class MemoryBatch implements KvBatch {
  readonly #tree: ByteTree;
  /** Keys and values in turn; undefined in place of a value deletes. */
  readonly #keys: string[] = [];
  readonly #values: (string | undefined)[] = [];
  #written = false;

  constructor(tree: ByteTree) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#keys.length;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#keys.push(textOf(key));
    this.#values.push(textOf(value));
  }

  del(key: Uint8Array): void {
    this.#keys.push(textOf(key));
    this.#values.push(undefined);
  }

  async write(): Promise<void> {
    invariant(!this.#written, "a batch was written twice");
    this.#written = true;
    for (const [index, key] of this.#keys.entries()) {
      const value = this.#values[index];
      if (value === undefined) this.#tree.delete(key);
      else this.#tree.put(key, value);
    }
  }

  discard(): void {
    this.#written = true;
  }
}

async function* pages(
  tree: FrozenTree,
  range: KvRange,
  clock: Clock | undefined,
): AsyncGenerator<readonly KvEntry[], void, undefined> {
  const { reverse = false, limit = Number.POSITIVE_INFINITY } = range;
  let page: KvEntry[] = [];
  let left = limit;
  for (const [key, value] of tree.entries(textOf(range.gte), textOf(range.lt), reverse)) {
    if (left === 0) break;
    left -= 1;
    page.push([bytesOf(key), bytesOf(value)]);
    if (page.length < pageEntriesMax) continue;
    yield page;
    page = [];
    if (clock !== undefined) await new Promise<void>((resolve) => clock.soon(resolve));
  }
  if (page.length > 0) yield page;
}

function valueIn(tree: FrozenTree, key: Uint8Array): Buffer | undefined {
  const value = tree.get(textOf(key));
  return value === undefined ? undefined : bytesOf(value);
}

function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString("latin1");
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
