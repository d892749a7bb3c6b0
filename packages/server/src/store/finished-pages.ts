/**
 * Finished jobs in id order, by a filter, through the narrowest way there is:
 *
 *   ids given                  single reads
 *   status, queue, type given  their index ranges, united within one and intersected between them (`sorted-ids.ts`)
 *   neither                    the records themselves
 *
 * What the ways cannot tell (priority, attempts, times, too many names at once) is asked of each record. Everything is read
 * in pages, so that other work has its turn in between, and a caller who has enough just stops.
 */
import type { JobId } from "@millrace/protocol/ids";
import type { FinishedJob } from "../job/job.ts";
import { type JobFilter, matches, wantsFinished } from "../job/job-filter.ts";
import type { KvReader } from "../kv/kv.ts";
import { isUsable } from "./job-reader.ts";
import { decodeFinished } from "./job-record.ts";
import { idAfterTag, idKey, namePrefix, rangeOf, statusPrefix, tagPrefix, tags } from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";
import { RangeWindow } from "./range-window.ts";
import { commonIds, firstPlace, type IdSource, neighbour, type Order, RangeIds, UnitedIds } from "./sorted-ids.ts";

export interface FinishedQuery {
  readonly filter: JobFilter;
  /** Where to begin: 16 bytes, exclusive, in the order asked for. */
  readonly after?: Uint8Array | undefined;
  readonly order: Order;
}

/** A usable record and its job. */
export interface FinishedRecord {
  readonly job: FinishedJob;
  readonly key: Buffer;
  readonly record: Buffer;
}

/** More names than this are cheaper asked of each record than merged from as many ranges. */
const rangesMax = 64;
/** Records read at once: few at first, for a short page. */
const firstReads = 64;
const readsMax = 512;

export async function* finishedRecords(
  from: KvReader,
  quarantine: Quarantine,
  query: FinishedQuery,
): AsyncGenerator<FinishedRecord, void, undefined> {
  const { filter, order, after } = query;
  if (!wantsFinished(filter)) return;
  const start = after === undefined ? firstPlace(order) : neighbour(Buffer.from(after).toString("latin1"), order);
  if (start === undefined) return;
  for await (const [key, record] of entriesOf(from, filter, start, order)) {
    if (!isUsable(quarantine, key, record)) continue;
    const job = decodeFinished(record, idAfterTag(key));
    if (matches(filter, job)) yield { job, key, record };
  }
}

type Entries = AsyncGenerator<readonly [key: Buffer, record: Buffer], void, undefined>;

function entriesOf(from: KvReader, filter: JobFilter, start: string, order: Order): Entries {
  if (filter.ids !== undefined) return recordsOf(from, givenIds(filter.ids, start, order));
  const sources = sourcesOf(from, filter, order);
  return sources.length === 0 ? allRecords(from, start, order) : recordsOf(from, commonIds(sources, start, order));
}

function sourcesOf(from: KvReader, filter: JobFilter, order: Order): IdSource[] {
  const { statuses, queues, types } = filter;
  const finished = (["completed", "dead"] as const).filter((status) => statuses?.has(status) ?? true);
  const prefixes = [
    // Both statuses together are all there is.
    finished.length === 2 ? undefined : finished.map(statusPrefix),
    queues === undefined ? undefined : [...queues].map((name) => namePrefix(tags.byQueue, name)),
    types === undefined ? undefined : [...types].map((name) => namePrefix(tags.byType, name)),
  ];
  return prefixes.flatMap((ranges): IdSource[] => {
    if (ranges === undefined || ranges.length > rangesMax) return [];
    const parts = ranges.map((prefix) => new RangeIds(from, prefix, order));
    return parts.length === 1 ? parts : [new UnitedIds(parts, order)];
  });
}

async function* allRecords(from: KvReader, start: string, order: Order): Entries {
  const window = new RangeWindow(from, { ...rangeOf(tagPrefix(tags.finished)), reverse: order === "desc" });
  await window.load(finishedKey(start));
  for (;;) {
    yield* window.entries;
    if (window.isDone) return;
    await window.load();
  }
}

async function* recordsOf(from: KvReader, ids: AsyncIterable<string> | Iterable<string>): Entries {
  let most = firstReads;
  let keys: Buffer[] = [];
  for await (const id of ids) {
    keys.push(finishedKey(id));
    if (keys.length < most) continue;
    yield* present(keys, await from.getMany(keys));
    keys = [];
    most = Math.min(readsMax, most * 2);
  }
  if (keys.length > 0) yield* present(keys, await from.getMany(keys));
}

function* present(
  keys: readonly Buffer[],
  records: readonly (Buffer | undefined)[],
): Generator<readonly [key: Buffer, record: Buffer], void, undefined> {
  for (const [index, key] of keys.entries()) {
    const record = records[index];
    if (record !== undefined) yield [key, record];
  }
}

/** Given ids from a place on, in order, each as the 16 bytes of its keys. */
function givenIds(ids: ReadonlySet<JobId>, start: string, order: Order): string[] {
  const places = [...ids].map((id) => idKey(tags.finished, id).toString("latin1", 1));
  const wanted = places.filter((place) => (order === "asc" ? place >= start : place <= start)).sort();
  return order === "asc" ? wanted : wanted.reverse();
}

function finishedKey(place: string): Buffer {
  const key = Buffer.allocUnsafe(1 + place.length);
  key[0] = tags.finished;
  key.write(place, 1, "latin1");
  return key;
}
