/**
 * A drive, seen from above the file system. It outlives every process that writes to it, and it is exactly as untrustworthy
 * as kv/kv.ts says (K2): what a process wrote is kept when the process dies, also unsynced; a power cut loses any of the
 * unsynced writes, even one older than a synced one. Hence two things are kept: the platter, which is safe, and since then
 * the log of writes in their order, from which a power cut picks what survives.
 *
 * Opening a store makes safe what is found (`settle()`), as LevelDB does: it turns its log into a synced table before it
 * serves anybody. Without that no server could trust what it reads at its start, and answer from it.
 */
import { invariant } from "../../src/base/assert.ts";

/** A key as text of one character a byte; such texts sort as their bytes do. */
export type DiskKey = string;

export interface DiskOperation {
  readonly key: DiskKey;
  /** Undefined = delete. */
  readonly value: Buffer | undefined;
}

/** A write that has arrived. */
export class DiskWrite {
  readonly operations: readonly DiskOperation[];
  #isSafe = false;

  constructor(operations: readonly DiskOperation[]) {
    this.operations = operations;
  }

  get isSafe(): boolean {
    return this.#isSafe;
  }

  /** It was synced: no power cut takes it any more. */
  makeSafe(): void {
    this.#isSafe = true;
  }
}

/** What the disk holds at one instant; never changes. */
export interface DiskView {
  /** Sorted. */
  readonly keys: readonly DiskKey[];
  readonly values: ReadonlyMap<DiskKey, Buffer>;
}

export class SimDisk {
  #platter: DiskContents = new DiskContents();
  #contents: DiskContents = new DiskContents();
  #log: DiskWrite[] = [];

  /** A write arrives whole (K1). */
  apply(operations: readonly DiskOperation[]): DiskWrite {
    const write = new DiskWrite(operations);
    this.#contents.apply(operations);
    this.#log.push(write);
    return write;
  }

  /** Everything that is there now is safe. */
  settle(): void {
    for (const write of this.#log) this.#platter.apply(write.operations);
    this.#log = [];
  }

  get(key: DiskKey): Buffer | undefined {
    return this.#contents.get(key);
  }

  view(): DiskView {
    return this.#contents.view();
  }

  get size(): number {
    return this.#contents.size;
  }

  /** Loses unsynced writes, each by `isLost`; the others are on the platter from now on. Answers how many were lost. */
  cutPower(isLost: () => boolean): number {
    let lost = 0;
    for (const write of this.#log) {
      if (!write.isSafe && isLost()) lost += 1;
      else this.#platter.apply(write.operations);
    }
    this.#log = [];
    this.#contents = this.#platter.copy();
    return lost;
  }
}

/** A sorted map that can be shown as it was: a view is shared until the next change, which then works on a copy. */
class DiskContents {
  #keys: DiskKey[] = [];
  #values = new Map<DiskKey, Buffer>();
  #isShared = false;

  get size(): number {
    return this.#keys.length;
  }

  get(key: DiskKey): Buffer | undefined {
    return this.#values.get(key);
  }

  view(): DiskView {
    this.#isShared = true;
    return { keys: this.#keys, values: this.#values };
  }

  copy(): DiskContents {
    const copy = new DiskContents();
    copy.#keys = [...this.#keys];
    copy.#values = new Map(this.#values);
    return copy;
  }

  apply(operations: readonly DiskOperation[]): void {
    if (this.#isShared) {
      this.#keys = [...this.#keys];
      this.#values = new Map(this.#values);
      this.#isShared = false;
    }
    for (const { key, value } of operations) {
      if (value === undefined) this.#delete(key);
      else this.#put(key, value);
    }
  }

  #put(key: DiskKey, value: Buffer): void {
    if (!this.#values.has(key)) this.#keys.splice(placeOf(this.#keys, key), 0, key);
    this.#values.set(key, value);
  }

  #delete(key: DiskKey): void {
    if (!this.#values.delete(key)) return;
    const place = placeOf(this.#keys, key);
    invariant(this.#keys[place] === key, "the disk's keys are out of order");
    this.#keys.splice(place, 1);
  }
}

/** Index of the first key that is not before the given one. */
export function placeOf(keys: readonly DiskKey[], key: DiskKey): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = keys[middle];
    if (candidate !== undefined && candidate < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
