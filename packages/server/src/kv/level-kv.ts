/**
 * Kv over LevelDB. What it adds to the library, and why:
 *   - Batches are the library's chained ones: its array form clones every operation and is four times slower.
 *   - A write buffer of 32 MiB: most jobs live and die inside it, so few of them ever reach a table file.
 *   - Scans ask for 1000 entries and 1 MiB at a time (the library's 16 KiB end a page after some 70 entries), and read the
 *     next page on another thread while the caller works on this one.
 *   - A registry of the paths that this process has open: LevelDB refuses a second open, but the refusal lets go of the
 *     lock that the first one holds, and another process could then open the same files.
 * No error of the library leaves this file: what goes wrong is STORAGE_UNAVAILABLE, with the library's error as its cause.
 */
import { mkdir, realpath } from "node:fs/promises";
import { QueueError } from "@millrace/protocol/errors";
import { ClassicLevel } from "classic-level";
import { invariant } from "../base/assert.ts";
import type { Kv, KvBatch, KvEntry, KvRange, KvSnapshot } from "./kv.ts";

const writeBufferBytes = 32 * 1024 * 1024;
const tableFileBytesMax = 8 * 1024 * 1024;
const pageEntriesMax = 1000;
const pageBytesMax = 1024 * 1024;

type Level = ClassicLevel<Buffer, Buffer>;
type LevelSnapshot = ReturnType<Level["snapshot"]>;
/** With the encodings spelled out the library uses this object as it is, instead of a copy for each call. */
type ReadOptions = {
  readonly snapshot?: LevelSnapshot;
  readonly keyEncoding: "buffer";
  readonly valueEncoding: "buffer";
};

export interface LevelKvOptions {
  /** Bytes of table blocks kept in memory. */
  readonly cacheBytes: number;
}

const openPaths = new Set<string>();

export class LevelKv implements Kv {
  readonly #level: Level;
  readonly #path: string;
  readonly #reader: LevelReader;
  #writing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  private constructor(level: Level, path: string) {
    this.#level = level;
    this.#path = path;
    this.#reader = new LevelReader(level);
  }

  /**
   * Opens the store in a directory, which is made if it is missing.
   * @throws QueueError STORAGE_UNAVAILABLE when it cannot be opened, or is open already, here or in another process
   */
  static async open(location: string, options: LevelKvOptions): Promise<LevelKv> {
    const path = await canonical(location);
    if (openPaths.has(path)) throw unavailable(`the store in ${path} is open already in this process`);
    openPaths.add(path);
    try {
      const level: Level = new ClassicLevel(path, {
        keyEncoding: "buffer",
        valueEncoding: "buffer",
        writeBufferSize: writeBufferBytes,
        maxFileSize: tableFileBytesMax,
        cacheSize: options.cacheBytes,
      });
      await level.open();
      return new LevelKv(level, path);
    } catch (cause) {
      openPaths.delete(path);
      throw unavailable(`the store in ${path} cannot be opened: ${reasonOf(cause)}`, cause);
    }
  }

  batch(): KvBatch {
    try {
      return new LevelBatch(this.#level.batch(), (write) => {
        this.#writing = write;
      });
    } catch (cause) {
      throw unavailable("the store takes no writes", cause);
    }
  }

  get(key: Uint8Array): Buffer | undefined {
    return this.#reader.get(key);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    return this.#reader.getMany(keys);
  }

  scan(range: KvRange): AsyncIterable<readonly KvEntry[]> {
    return this.#reader.scan(range);
  }

  snapshot(): KvSnapshot {
    try {
      return new LevelReader(this.#level, this.#level.snapshot());
    } catch (cause) {
      throw unavailable("the store cannot be read", cause);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      // Whoever asked for the write hears of its failure; closing only waits for its end.
      await this.#writing.catch(() => {});
      await this.#level.close();
    } catch (cause) {
      throw unavailable(`the store in ${this.#path} cannot be closed`, cause);
    } finally {
      openPaths.delete(this.#path);
    }
  }
}

/** Reads the newest state, or what a snapshot holds. */
class LevelReader implements KvSnapshot {
  readonly #level: Level;
  readonly #snapshot: LevelSnapshot | undefined;
  readonly #options: ReadOptions;

  constructor(level: Level, snapshot?: LevelSnapshot) {
    this.#level = level;
    this.#snapshot = snapshot;
    const encodings = { keyEncoding: "buffer", valueEncoding: "buffer" } as const;
    this.#options = snapshot === undefined ? encodings : { ...encodings, snapshot };
  }

  get(key: Uint8Array): Buffer | undefined {
    try {
      // Without options the library takes a shorter way.
      if (this.#snapshot === undefined) return this.#level.getSync(asBuffer(key));
      return this.#level.getSync<Buffer, Buffer>(asBuffer(key), this.#options);
    } catch (cause) {
      throw unavailable("the store cannot be read", cause);
    }
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    try {
      return await this.#level.getMany<Buffer, Buffer>(keys.map(asBuffer), this.#options);
    } catch (cause) {
      throw unavailable("the store cannot be read", cause);
    }
  }

  async *scan(range: KvRange): AsyncGenerator<readonly KvEntry[], void, undefined> {
    try {
      yield* this.#pages(range);
    } catch (cause) {
      throw unavailable("the store cannot be read", cause);
    }
  }

  async *#pages(range: KvRange): AsyncGenerator<readonly KvEntry[], void, undefined> {
    const { gte, lt, reverse = false, limit = -1 } = range;
    const iterator = this.#level.iterator<Buffer, Buffer>({
      ...this.#options,
      gte: asBuffer(gte),
      lt: asBuffer(lt),
      reverse,
      limit,
      highWaterMarkBytes: pageBytesMax,
    });
    try {
      let page = await iterator.nextv(pageEntriesMax);
      while (page.length > 0) {
        const next = iterator.nextv(pageEntriesMax);
        // If the caller leaves now, nobody is left to hear of a failure.
        next.catch(() => {});
        yield page;
        page = await next;
      }
    } finally {
      await iterator.close();
    }
  }

  async close(): Promise<void> {
    await this.#snapshot?.close();
  }
}

class LevelBatch implements KvBatch {
  readonly #chain: ReturnType<Level["batch"]>;
  readonly #began: (write: Promise<void>) => void;
  #written = false;

  constructor(chain: ReturnType<Level["batch"]>, began: (write: Promise<void>) => void) {
    this.#chain = chain;
    this.#began = began;
  }

  get size(): number {
    return this.#chain.length;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#chain.put(asBuffer(key), asBuffer(value));
  }

  del(key: Uint8Array): void {
    this.#chain.del(asBuffer(key));
  }

  async write(options: { readonly sync: boolean }): Promise<void> {
    invariant(!this.#written, "a batch was written twice");
    this.#written = true;
    try {
      const write = this.#chain.write(options);
      this.#began(write);
      await write;
    } catch (cause) {
      throw unavailable(`a write failed: ${reasonOf(cause)}`, cause);
    }
  }

  discard(): void {
    if (this.#written) return;
    this.#written = true;
    // The library closes a batch that was not written without touching the disk; there is nothing that could fail.
    this.#chain.close().catch(() => {});
  }
}

async function canonical(location: string): Promise<string> {
  try {
    await mkdir(location, { recursive: true });
    return await realpath(location);
  } catch (cause) {
    throw unavailable(`the directory ${location} cannot be made: ${reasonOf(cause)}`, cause);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unavailable(message: string, cause?: unknown): QueueError {
  return cause instanceof QueueError ? cause : new QueueError("STORAGE_UNAVAILABLE", message, { cause });
}

/** The innermost message: the library wraps what the disk said in "Database failed to open". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
