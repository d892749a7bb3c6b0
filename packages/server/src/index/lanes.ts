import { invariant } from "../base/assert.ts";
import type { JobRows } from "./job-rows.ts";
import { PriorityLevels } from "./priority-levels.ts";
import { SlotList } from "./slot-list.ts";

/** Ready jobs of one queue and priority in the order of their ids. */
export class Lane extends SlotList {
  readonly priority: number;

  constructor(rows: JobRows, priority: number) {
    super(rows);
    this.priority = priority;
  }
}

/** Up to so many lanes a sorted array is both smaller and faster than the tables for many. */
const fewMax = 16;

/** The lanes of one queue, by priority: there is one for each priority that is in use, of 65,536. */
export class Lanes {
  readonly #rows: JobRows;
  #few: Lane[] = [];
  #many: { readonly lanes: Map<number, Lane>; readonly levels: PriorityLevels } | undefined;

  constructor(rows: JobRows) {
    this.#rows = rows;
  }

  /** The lane that runs first. */
  get first(): Lane | undefined {
    return this.#many === undefined ? this.#few[0] : this.#many.lanes.get(this.#many.levels.least);
  }

  get(priority: number): Lane | undefined {
    if (this.#many !== undefined) return this.#many.lanes.get(priority);
    const lane = this.#few[this.#placeOf(priority)];
    return lane?.priority === priority ? lane : undefined;
  }

  /** A new lane for a priority that has none. */
  add(priority: number): Lane {
    const lane = new Lane(this.#rows, priority);
    if (this.#many === undefined && this.#few.length === fewMax) this.#spread();
    if (this.#many === undefined) {
      this.#few.splice(this.#placeOf(priority), 0, lane);
    } else {
      this.#many.lanes.set(priority, lane);
      this.#many.levels.add(priority);
    }
    return lane;
  }

  /** Drops an empty lane. */
  delete(lane: Lane): void {
    invariant(lane.length === 0, "a lane was dropped with jobs in it");
    if (this.#many === undefined) {
      this.#few.splice(this.#placeOf(lane.priority), 1);
    } else {
      this.#many.lanes.delete(lane.priority);
      this.#many.levels.delete(lane.priority);
    }
  }

  /** In no particular order. */
  [Symbol.iterator](): Iterator<Lane> {
    return this.#many === undefined ? this.#few.values() : this.#many.lanes.values();
  }

  /** Goes over to the tables for many, for as long as the queue has ready jobs. */
  #spread(): void {
    const many = { lanes: new Map<number, Lane>(), levels: new PriorityLevels() };
    for (const lane of this.#few) {
      many.lanes.set(lane.priority, lane);
      many.levels.add(lane.priority);
    }
    this.#few = [];
    this.#many = many;
  }

  /** Where a lane of this priority is, or would be, among few. */
  #placeOf(priority: number): number {
    let place = 0;
    while ((this.#few[place]?.priority ?? priority) < priority) place += 1;
    return place;
  }
}
