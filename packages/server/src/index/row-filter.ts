import type { U64 } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import type { JobFilter, Range } from "../job/job-filter.ts";
import type { JobTable, Slot } from "./job-table.ts";

const unknown = 0;
const wanted = 1;
const unwanted = 2;

/**
 * A filter read for rows: tests a job at rest in a few nanoseconds, without making a value of it. Ids are not tested. Due
 * times are compared clamped to 2^53 - 1, as rows hold them.
 */
export class RowFilter {
  readonly #table: JobTable;
  readonly #filter: JobFilter;
  readonly #readyAt: Range<number> | undefined;
  /** What was found out about a kind: jobs are many, queues and types few. Void after the next change. */
  readonly #kinds: Uint8Array;

  constructor(table: JobTable, filter: JobFilter) {
    this.#table = table;
    this.#filter = filter;
    this.#readyAt = filter.readyAt === undefined ? undefined : clampRange(filter.readyAt);
    this.#kinds = new Uint8Array(table.kinds.numbersEnd);
  }

  matches(slot: Slot): boolean {
    return this.matchesCounted(slot) && this.matchesRest(slot);
  }

  /** The part that counters know: status, queue and type. */
  matchesCounted(slot: Slot): boolean {
    const { statuses } = this.#filter;
    return (
      this.#matchesKind(this.#table.rows.kind(slot)) &&
      (statuses === undefined || statuses.has(this.#table.status(slot)))
    );
  }

  /** The part that only rows know. */
  matchesRest(slot: Slot): boolean {
    const { rows, histories } = this.#table;
    const { priority, attempts } = this.#filter;
    const readyAt = this.#readyAt;
    return (
      (priority === undefined || within(priority, rows.priority(slot))) &&
      (readyAt === undefined || within(readyAt, rows.readyAt(slot))) &&
      (attempts === undefined || within(attempts, histories.attempts(rows.history(slot))))
    );
  }

  #matchesKind(number: number): boolean {
    if (this.#kinds[number] === unknown) {
      const { queues, types } = this.#filter;
      const kind = this.#table.kinds.at(number);
      const fits = (queues?.has(kind.queue.name) ?? true) && (types?.has(kind.type) ?? true);
      this.#kinds[number] = fits ? wanted : unwanted;
    }
    return this.#kinds[number] === wanted;
  }
}

function within(range: Range<number>, value: number): boolean {
  return range.min <= value && value <= range.max;
}

function clampRange(range: Range<U64>): Range<number> {
  return { min: clampU64(range.min), max: clampU64(range.max) };
}
