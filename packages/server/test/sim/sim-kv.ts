/**
 * `Kv` over a simulated disk: the handle that one process has on the drive. It dies with its process (`die()`): from then
 * on nothing it is asked for ever happens or answers, as nothing does in a process that was killed.
 */
import { QueueError } from "@millrace/protocol/errors";
import { invariant } from "../../src/base/assert.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { Kv, KvBatch, KvEntry, KvRange, KvReader, KvSnapshot } from "../../src/kv/kv.ts";
import { type DiskKey, type DiskOperation, type DiskView, type DiskWrite, placeOf, type SimDisk } from "./sim-disk.ts";

/** What becomes of one write. A refused write may have happened all the same (K3). */
export type WriteFate = "written" | "refused" | "refused but written";

/** How the drive behaves; drawn from the weather. All times in milliseconds. */
export interface DiskWeather {
  readMs(): number;
  writeMs(sync: boolean): number;
  fate(): WriteFate;
  /** Whether, after a refused write, this handle refuses all others, until the store is opened anew. */
  readonly refusesOnceRefused: boolean;
  /** Entries in one page of a scan; small ones give a crash more places to happen. */
  readonly pageEntriesMax: number;
}

/** Where a crash may be planted; each is told how many writes there were. */
export interface WriteWitness {
  beforeWrite(): void;
  duringWrite(): void;
  afterWrite(): void;
}

/** A drive without delays and failures. */
export const calmDisk: DiskWeather = {
  readMs: () => 0,
  writeMs: () => 0,
  fate: () => "written",
  refusesOnceRefused: false,
  pageEntriesMax: 1000,
};

interface SimKvOptions {
  readonly disk: SimDisk;
  readonly clock: Clock;
  readonly weather?: DiskWeather;
  readonly witness?: WriteWitness;
}

interface WriteUnderWay {
  readonly operations: readonly DiskOperation[];
  landed: DiskWrite | undefined;
}

export class SimKv implements Kv {
  readonly #disk: SimDisk;
  readonly #clock: Clock;
  readonly #weather: DiskWeather;
  readonly #witness: WriteWitness | undefined;
  #underWay: WriteUnderWay | undefined;
  #settled: Promise<unknown> = Promise.resolve();
  #isDead = false;
  #isClosed = false;
  #isBroken = false;
  /** Reads take no time for now: whoever compares two things must see both at one instant. */
  readsAtOnce = false;

  constructor(options: SimKvOptions) {
    this.#disk = options.disk;
    this.#clock = options.clock;
    this.#weather = options.weather ?? calmDisk;
    this.#witness = options.witness;
  }

  get(key: Uint8Array): Buffer | undefined {
    this.#mustBeOpen();
    const value = this.#disk.get(textOf(key));
    return value === undefined ? undefined : Buffer.from(value);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    this.#mustBeOpen();
    return this.#reader(() => this.#disk.view()).getMany(keys);
  }

  scan(range: KvRange): AsyncIterable<readonly KvEntry[]> {
    this.#mustBeOpen();
    const view = this.#disk.view();
    return this.#reader(() => view).scan(range);
  }

  batch(): KvBatch {
    return new SimBatch((operations, sync) => this.#write(operations, sync));
  }

  snapshot(): KvSnapshot {
    this.#mustBeOpen();
    const view = this.#disk.view();
    return new SimSnapshot(this.#reader(() => view));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#settled.catch(() => undefined);
  }

  /** The process is gone. The write under way lands now or never. */
  die(lands: boolean): void {
    this.#isDead = true;
    const write = this.#underWay;
    this.#underWay = undefined;
    if (lands && write !== undefined && write.landed === undefined) this.#land(write);
  }

  #reader(view: () => DiskView): KvReader {
    return new SimReader(view, () => this.#pause(), this.#weather.pageEntriesMax);
  }

  #write(operations: readonly DiskOperation[], sync: boolean): Promise<void> {
    this.#mustBeOpen();
    if (!this.#isDead) this.#witness?.beforeWrite();
    if (this.#isDead) return never();
    invariant(this.#underWay === undefined, "two writes at once");
    const write: WriteUnderWay = { operations, landed: undefined };
    this.#underWay = write;
    const written = new Promise<void>((resolve, reject) => {
      const fate = this.#isBroken ? "refused" : this.#weather.fate();
      const ms = this.#weather.writeMs(sync);
      // The bytes are in place some time before the caller hears of it: a crash may come between.
      this.#clock.after(ms / 2, () => {
        if (fate !== "refused") this.#land(write);
        this.#witness?.duringWrite();
        this.#clock.after(ms / 2, () => {
          this.#underWay = undefined;
          if (fate === "written") {
            // Only now is it promised that a power cut cannot take it.
            if (sync) write.landed?.makeSafe();
            resolve();
          } else {
            reject(this.#refusal());
          }
          this.#witness?.afterWrite();
        });
      });
    });
    this.#settled = written;
    return written;
  }

  #land(write: WriteUnderWay): void {
    write.landed = this.#disk.apply(write.operations);
  }

  #refusal(): QueueError {
    if (this.#weather.refusesOnceRefused) this.#isBroken = true;
    return new QueueError("STORAGE_UNAVAILABLE", "the simulated disk refused a write");
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new QueueError("STORAGE_UNAVAILABLE", "the store is closed");
  }

  #pause(): Promise<void> {
    if (this.#isDead) return never();
    return new Promise((resolve) => {
      const ms = this.readsAtOnce ? 0 : this.#weather.readMs();
      if (ms === 0) this.#clock.soon(resolve);
      else this.#clock.after(ms, resolve);
    });
  }
}

class SimReader implements KvReader {
  readonly #view: () => DiskView;
  readonly #pause: () => Promise<void>;
  readonly #pageEntriesMax: number;

  constructor(view: () => DiskView, pause: () => Promise<void>, pageEntriesMax: number) {
    this.#view = view;
    this.#pause = pause;
    this.#pageEntriesMax = pageEntriesMax;
  }

  get(key: Uint8Array): Buffer | undefined {
    const value = this.#view().values.get(textOf(key));
    return value === undefined ? undefined : Buffer.from(value);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    const found = keys.map((key) => this.get(key));
    await this.#pause();
    return found;
  }

  async *scan(range: KvRange): AsyncGenerator<readonly KvEntry[], void, undefined> {
    const { keys, values } = this.#view();
    const from = placeOf(keys, textOf(range.gte));
    const to = placeOf(keys, textOf(range.lt));
    const found = keys.slice(from, Math.max(from, to));
    if (range.reverse === true) found.reverse();
    const wanted = found.slice(0, range.limit ?? found.length);
    for (let start = 0; start < wanted.length; start += this.#pageEntriesMax) {
      await this.#pause();
      yield wanted.slice(start, start + this.#pageEntriesMax).map((key) => entry(key, values));
    }
    await this.#pause();
  }
}

class SimSnapshot implements KvSnapshot {
  readonly #reader: KvReader;
  #isClosed = false;

  constructor(reader: KvReader) {
    this.#reader = reader;
  }

  get(key: Uint8Array): Buffer | undefined {
    this.#mustBeOpen();
    return this.#reader.get(key);
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]> {
    this.#mustBeOpen();
    return this.#reader.getMany(keys);
  }

  scan(range: KvRange): AsyncIterable<readonly KvEntry[]> {
    this.#mustBeOpen();
    return this.#reader.scan(range);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #mustBeOpen(): void {
    invariant(!this.#isClosed, "a closed snapshot was read");
  }
}

class SimBatch implements KvBatch {
  readonly #write: (operations: readonly DiskOperation[], sync: boolean) => Promise<void>;
  #operations: DiskOperation[] = [];
  #isOver = false;

  constructor(write: (operations: readonly DiskOperation[], sync: boolean) => Promise<void>) {
    this.#write = write;
  }

  get size(): number {
    return this.#operations.length;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    invariant(!this.#isOver, "a batch was changed after its write");
    this.#operations.push({ key: textOf(key), value: Buffer.from(value) });
  }

  del(key: Uint8Array): void {
    invariant(!this.#isOver, "a batch was changed after its write");
    this.#operations.push({ key: textOf(key), value: undefined });
  }

  async write(options: { readonly sync: boolean }): Promise<void> {
    invariant(!this.#isOver, "a batch was written twice, or after it was dropped");
    this.#isOver = true;
    await this.#write(this.#operations, options.sync);
  }

  discard(): void {
    this.#isOver = true;
    this.#operations = [];
  }
}

function entry(key: DiskKey, values: ReadonlyMap<DiskKey, Buffer>): KvEntry {
  const value = values.get(key);
  invariant(value !== undefined, "a key of the simulated disk has no value");
  return [Buffer.from(key, "latin1"), Buffer.from(value)];
}

function textOf(key: Uint8Array): DiskKey {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
}

/** What a dead process is waiting for. */
function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
