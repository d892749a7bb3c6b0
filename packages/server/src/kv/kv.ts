/**
 * Sorted durable bytes: all that the queue asks of a store. Keys are compared bytewise. Contract (conformance/kv.ts):
 *   K1. `write()` is atomic: after a crash all of the batch is there, or nothing.
 *   K2. A resolved write survives a crash of the process; a power cut too if it was synced. Of unsynced writes any may be
 *       lost by a power cut, even one older than a synced one.
 *   K3. A rejected write may or may not have happened. Callers must not guess.
 *   K4. `get`, `scan` and a snapshot taken after a write resolved see it; a snapshot never sees a later one.
 *   K5. Within one batch later operations win over earlier ones on the same key.
 *   K6. Scans are ordered, hold no key twice, and come in pages; abandoning one frees what it held.
 *   K7. What a store holds when it is opened is safe from a power cut from then on, however it was written.
 */
export interface Kv extends KvReader {
  /** Gathers operations for one atomic write. Not more than one write is under way at a time (GroupCommitter sees to it). */
  batch(): KvBatch;
  /** What the store holds at this instant; must be closed. */
  snapshot(): KvSnapshot;
  /** Waits for the write under way, then closes. A second call does nothing. */
  close(): Promise<void>;
}

export interface KvReader {
  /** One value now, without giving way: for hot single reads. Undefined when there is no such key. */
  get(key: Uint8Array): Buffer | undefined;
  /** Several values, in the order of the keys. */
  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]>;
  /** Entries of a range in order, page by page; pages are never empty. */
  scan(range: KvRange): AsyncIterable<readonly KvEntry[]>;
}

export interface KvSnapshot extends KvReader {
  close(): Promise<void>;
}

export interface KvRange {
  /** First key, inclusive. */
  readonly gte: Uint8Array;
  /** End, exclusive. */
  readonly lt: Uint8Array;
  /** From the end to the beginning; default false. */
  readonly reverse?: boolean;
  /** Most entries in all; default no limit. */
  readonly limit?: number;
}

export type KvEntry = readonly [key: Buffer, value: Buffer];

/** Bytes given to a batch are copied or kept by it: a caller must not change them before the write settled. */
export interface KvBatch {
  put(key: Uint8Array, value: Uint8Array): void;
  del(key: Uint8Array): void;
  /** Number of operations so far. */
  readonly size: number;
  /** Writes everything atomically; `sync` = safe from a power cut when this resolves. At most one call. */
  write(options: { readonly sync: boolean }): Promise<void>;
  /** Drops the batch unwritten. */
  discard(): void;
}
