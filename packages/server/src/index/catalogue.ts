/**
 * All live jobs in the order of their ids, for lists. Jobs mostly come in that order, so entering is one step at the end;
 * the few that come late (the clock stepped back, a finished job is retried) are put in their place within one block.
 *
 *   blocks   [a b · c] [d · · e] [f g]      · = a hole, skipped; sparse neighbours are put together, empty blocks dropped
 */
import { invariant } from "../base/assert.ts";
import { Block, blockOf, blockPlaces } from "./catalogue-block.ts";
import { CatalogueCursor } from "./catalogue-cursor.ts";
import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";

/** A block with so few jobs looks for a neighbour to share a block with. */
const sparseLiveMax = blockPlaces / 4;
/** Two blocks become one if it has some room left then, so that it is not split again at once. */
const sharedLiveMax = (blockPlaces / 4) * 3;

export class Catalogue {
  readonly #rows: JobRows;
  /** In the order of ids. Never empty blocks among them, except when there is no job at all. */
  readonly #order: Block[] = [];
  /** By number. */
  readonly #blocks: (Block | undefined)[] = [];
  readonly #vacant: number[] = [];

  constructor(rows: JobRows) {
    this.#rows = rows;
  }

  add(slot: Slot): void {
    const tail = this.#order.at(-1);
    if (tail !== undefined && tail.live > 0 && this.#rows.compareIds(slot, tail.last) < 0) {
      this.#addLate(slot);
      return;
    }
    const home = tail !== undefined && tail.length < blockPlaces ? tail : this.#newBlock(this.#order.length);
    if (home.live === 0) home.boundBy(slot);
    home.append(slot);
  }

  remove(slot: Slot): void {
    const seat = this.#rows.seat(slot);
    const block = this.#blocks[blockOf(seat)];
    invariant(block !== undefined, "a live job has no seat");
    block.remove(seat);
    const { live } = block;
    if (live === 0) {
      if (this.#order.length > 1) this.#drop(this.#indexOf(block.bound));
    } else if (live <= sparseLiveMax && (live & (live - 1)) === 0) {
      // Only at powers of two: looking for a neighbour costs more than leaving.
      this.#share(this.#indexOf(block.bound));
    }
  }

  /**
   * A walk over live jobs in the order of their ids; void after the next change.
   * @param after 16 bytes of an id, exclusive; undefined = from the beginning of that order
   */
  cursor(after: Uint8Array | undefined, order: "asc" | "desc"): CatalogueCursor {
    if (after === undefined) return new CatalogueCursor(this.#order, order);
    const bytes = new DataView(after.buffer, after.byteOffset, 16);
    const bound = Uint32Array.of(bytes.getUint32(0), bytes.getUint32(4), bytes.getUint32(8), bytes.getUint32(12));
    const cursor = new CatalogueCursor(this.#order, order, this.#indexOf(bound));
    cursor.skip((slot) => {
      const sign = this.#rows.compareId(slot, bound);
      return order === "asc" ? sign <= 0 : sign >= 0;
    });
    return cursor;
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    let live = 0;
    let before: Block | undefined;
    for (const block of this.#order) {
      yield* block.faults();
      live += block.live;
      if (block.live === 0 && this.#order.length > 1) yield `block ${block.number} is empty`;
      if (this.#blocks[block.number] !== block) yield `block ${block.number} goes by another's number`;
      if (before !== undefined && this.#rows.compareId(before.last, block.bound) >= 0) {
        yield `block ${block.number} begins before its neighbour ends`;
      }
      before = block;
    }
    let inTable = 0;
    for (const _ of this.#rows.live()) inTable += 1;
    if (live !== inTable) yield `${live} jobs are listed, ${inTable} are in the table`;
  }

  #addLate(slot: Slot): void {
    this.#rows.copyId(slot, idWords);
    const index = this.#indexOf(idWords);
    let home = this.#blockAt(index);
    if (this.#rows.compareId(slot, home.bound) < 0) home.boundBy(slot);
    if (home.live === blockPlaces) {
      const upper = this.#newBlock(index + 1);
      home.splitInto(upper);
      if (this.#rows.compareId(slot, upper.bound) > 0) home = upper;
    }
    if (home.length < blockPlaces && this.#rows.compareIds(slot, home.last) > 0) home.append(slot);
    else home.insert(slot);
  }

  /** The last block whose bound is not above the id; the first block when all are. */
  #indexOf(id: Uint32Array): number {
    let low = 0;
    let high = this.#order.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareWords(this.#blockAt(middle).bound, id) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #share(index: number): void {
    const block = this.#blockAt(index);
    const after = this.#order[index + 1];
    if (after !== undefined && block.live + after.live <= sharedLiveMax) {
      block.absorb(after);
      this.#drop(index + 1);
      return;
    }
    const before = this.#order[index - 1];
    if (before !== undefined && before.live + block.live <= sharedLiveMax) {
      before.absorb(block);
      this.#drop(index);
    }
  }

  #newBlock(index: number): Block {
    const number = this.#vacant.pop() ?? this.#blocks.length;
    const block = new Block(this.#rows, number);
    this.#blocks[number] = block;
    this.#order.splice(index, 0, block);
    return block;
  }

  #drop(index: number): void {
    const [block] = this.#order.splice(index, 1);
    invariant(block !== undefined, "a block was dropped twice");
    this.#blocks[block.number] = undefined;
    this.#vacant.push(block.number);
  }

  #blockAt(index: number): Block {
    const block = this.#order[index];
    invariant(block !== undefined, "the catalogue has no such block");
    return block;
  }
}

// Reused by every call: nothing here waits, so no two calls are ever inside.
const idWords = new Uint32Array(4);

function compareWords(a: Uint32Array, b: Uint32Array): number {
  for (let word = 0; word < 4; word += 1) {
    const difference = (a[word] ?? 0) - (b[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
