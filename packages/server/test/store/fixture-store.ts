import { instant } from "@millrace/protocol/ids";
import type { LogFields, Logger } from "../../src/base/logger.ts";
import type { Kv, KvBatch } from "../../src/kv/kv.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { Store } from "../../src/store/store.ts";

/** Keeps the lines it is given. */
export class MemoryLogger implements Logger {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];

  debug = (message: string, fields: LogFields = {}) => this.#keep("debug", message, fields);
  info = (message: string, fields: LogFields = {}) => this.#keep("info", message, fields);
  warn = (message: string, fields: LogFields = {}) => this.#keep("warn", message, fields);
  error = (message: string, fields: LogFields = {}) => this.#keep("error", message, fields);
  for = () => this;

  #keep(level: string, message: string, fields: LogFields): void {
    this.lines.push({ level, message, fields });
  }
}

export interface StoreRig {
  readonly kv: Kv;
  readonly store: Store;
  readonly logger: MemoryLogger;
  /** Writes what the function adds to a batch. */
  write(add: (batch: KvBatch) => void): Promise<void>;
  /** A new life on the same bytes. */
  reopen(): Promise<StoreRig>;
}

export async function openStore(kv: Kv = new MemoryKv(), nowMs = 1_700_000_000_000): Promise<StoreRig> {
  const logger = new MemoryLogger();
  return {
    kv,
    logger,
    store: await Store.open(kv, { now: instant(nowMs), logger }),
    write: (add) => writeTo(kv, add),
    reopen: () => openStore(kv, nowMs),
  };
}

export async function writeTo(kv: Kv, add: (batch: KvBatch) => void): Promise<void> {
  const batch = kv.batch();
  add(batch);
  await batch.write({ sync: true });
}

/** Every key, as its tag and the length of the rest; without what a start writes. */
export async function keysIn(kv: Kv): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of kv.scan({ gte: Buffer.from([0]), lt: Buffer.from([255]) })) {
    for (const [key] of page) if (key[0] !== 0x4d) keys.push(key.toString("latin1", 0, 1));
  }
  return keys;
}

/** Flips one bit of the value under a key. */
export async function damage(kv: Kv, key: Uint8Array, bit = 40): Promise<void> {
  const value = kv.get(key);
  if (value === undefined) throw new RangeError("there is nothing to damage");
  value[bit >> 3] = (value[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  await writeTo(kv, (batch) => batch.put(key, value));
}

export async function pagesOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}

export async function itemsOf<T>(all: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of all) items.push(item);
  return items;
}
