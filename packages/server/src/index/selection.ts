/**
 * Live jobs that a filter means, in the order of their ids. Where the jobs are few and something knows them (a list of ids,
 * the jobs in flight, the scheduled ones), only those are looked at; otherwise the catalogue is walked until as many were
 * found as the counters say there are.
 */
import type { JobId } from "@millrace/protocol/ids";
import { idToBytes } from "../base/id-bytes.ts";
import type { JobFilter } from "../job/job-filter.ts";
import type { Catalogue } from "./catalogue.ts";
import { countLive } from "./counters.ts";
import type { InFlightIndex } from "./in-flight-index.ts";
import type { JobTable, Slot } from "./job-table.ts";
import { RowFilter } from "./row-filter.ts";
import type { ScheduledIndex } from "./scheduled-index.ts";

export type Order = "asc" | "desc";

/** A part of a count that is made in slices. */
export interface CountSlice {
  readonly matches: number;
  /** Where the next slice begins, 16 bytes, exclusive; undefined = this was the last. */
  readonly next: Uint8Array | undefined;
}

/** What is read to answer. */
interface Sources {
  readonly table: JobTable;
  readonly catalogue: Catalogue;
  readonly scheduled: ScheduledIndex;
  readonly inFlight: InFlightIndex;
}

/** Sorting a few jobs beats walking over all when there are so many times more. */
const fewFactor = 16;

/** @param after 16 bytes of an id, exclusive; undefined = from the beginning of that order */
export function* select(
  sources: Sources,
  filter: JobFilter,
  after: Uint8Array | undefined,
  order: Order,
): Generator<Slot> {
  const rowFilter = new RowFilter(sources.table, filter);
  const few = findFew(sources, filter);
  if (few !== undefined) {
    yield* sorted(
      sources.table,
      few.filter((slot) => rowFilter.matches(slot)),
      after,
      order,
    );
    return;
  }
  let left = countLive(sources.table.kinds, filter);
  if (left === 0) return;
  const cursor = sources.catalogue.cursor(after, order);
  for (let slot = cursor.next(); slot >= 0 && left > 0; slot = cursor.next()) {
    if (!rowFilter.matchesCounted(slot)) continue;
    left -= 1;
    if (rowFilter.matchesRest(slot)) yield slot;
  }
}

/** Counts among the next `rowsMax` jobs after `after`, oldest first. */
export function countSlice(
  sources: Sources,
  filter: JobFilter,
  after: Uint8Array | undefined,
  rowsMax: number,
): CountSlice {
  const rowFilter = new RowFilter(sources.table, filter);
  const few = findFew(sources, filter);
  if (few !== undefined) {
    const matching = few.filter((slot) => rowFilter.matches(slot));
    return { matches: sorted(sources.table, matching, after, "asc").length, next: undefined };
  }
  const cursor = sources.catalogue.cursor(after, "asc");
  let matches = 0;
  let last: Slot = -1;
  for (let rows = 0; rows < rowsMax; rows += 1) {
    const slot = cursor.next();
    if (slot < 0) return { matches, next: undefined };
    if (rowFilter.matches(slot)) matches += 1;
    last = slot;
  }
  return { matches, next: last < 0 ? after : idBytes(sources.table.id(last)) };
}

/** A superset of what the filter means, if a small one is at hand. */
function findFew({ table, scheduled, inFlight }: Sources, filter: JobFilter): Slot[] | undefined {
  const { ids, statuses } = filter;
  if (ids !== undefined) return [...ids].map((id) => table.find(id)).filter((slot) => slot >= 0);
  if (statuses === undefined || statuses.has("ready")) return undefined;
  const wantsScheduled = statuses.has("scheduled");
  const wantsInFlight = statuses.has("in_flight");
  const count = (wantsScheduled ? scheduled.size : 0) + (wantsInFlight ? inFlight.size : 0);
  if (count * fewFactor > table.size) return undefined;
  return [...(wantsScheduled ? scheduled : []), ...(wantsInFlight ? inFlight.slots() : [])];
}

function sorted(table: JobTable, slots: Slot[], after: Uint8Array | undefined, order: Order): Slot[] {
  const sign = order === "asc" ? 1 : -1;
  const beyond = after === undefined ? slots : slots.filter((slot) => sign * compareToBound(table, slot, after) > 0);
  return beyond.sort((a, b) => sign * table.compareIds(a, b));
}

function compareToBound(table: JobTable, slot: Slot, bound: Uint8Array): number {
  return Buffer.compare(idBytes(table.id(slot)), bound);
}

function idBytes(id: JobId): Uint8Array {
  const bytes = new Uint8Array(16);
  idToBytes(id, bytes, 0);
  return bytes;
}
