/**
 * R5: what memory says, against what the store says and against itself. The table is compared with the store's jobs one by
 * one, and every other structure with the table; so if there is no complaint, all of them are what a rebuild would make.
 */
import { clampU64, type JobId } from "@millrace/protocol/ids";
import type { LiveJob } from "../job/job.ts";
import type { JobTable, Slot } from "./job-table.ts";
import { countOf, type Kind } from "./kinds.ts";
import { isEqual } from "./options-table.ts";

/** Memory's live jobs against the store's. The store does not know who holds a job: in flight counts as ready. */
export function* compareWithStore(table: JobTable, stored: Iterable<LiveJob>): Generator<string> {
  const seen = new Set<JobId>();
  for (const job of stored) {
    if (seen.has(job.id)) yield `${job.id}: stored twice`;
    seen.add(job.id);
    const slot = table.find(job.id);
    if (slot < 0) yield `${job.id}: stored as ${job.status}, unknown to memory`;
    else yield* differences(table.read(slot), job);
  }
  if (seen.size === table.size) return;
  for (const slot of table.slots()) {
    const id = table.id(slot);
    if (!seen.has(id)) yield `${id}: ${table.status(slot)} in memory, not stored`;
  }
}

function* differences(inMemory: LiveJob, stored: LiveJob): Generator<string> {
  const found = comparable(inMemory);
  const wanted = comparable(stored);
  for (const [field, value] of Object.entries(wanted)) {
    const other: unknown = Reflect.get(found, field);
    if (other !== value) yield `${stored.id}: ${field} is ${String(other)} in memory, ${String(value)} in the store`;
  }
  if (!isEqual(inMemory.options, stored.options)) yield `${stored.id}: options differ from the store's`;
}

function comparable(job: LiveJob) {
  return {
    id: job.id,
    status: job.status === "in_flight" ? "ready" : job.status,
    because: job.status === "scheduled" ? job.because : undefined,
    queue: job.queue,
    type: job.type,
    priority: job.priority,
    readyAt: clampU64(job.readyAt),
    attempts: job.attempts,
    lost: job.lost,
    dequeuedAt: job.dequeuedAt,
    failedAt: job.failedAt,
  };
}

/** What the table keeps once for many jobs, against the jobs. */
export function* tableFaults(table: JobTable): Generator<string> {
  const { rows, kinds } = table;
  const counts = new Map<Kind, number[]>();
  const optionsJobs = new Map<number, number>();
  let jobs = 0;
  let histories = 0;
  let deliveries = 0;
  for (const slot of table.slots()) {
    jobs += 1;
    if (table.find(table.id(slot)) !== slot) yield `slot ${slot} is not found by its id`;
    if (rows.history(slot) !== 0) histories += 1;
    if (table.delivery(slot) !== undefined) deliveries += 1;
    else if (table.status(slot) === "in_flight") yield `slot ${slot} is in flight without a delivery`;
    count(counts, kinds.at(rows.kind(slot)), table, slot);
    optionsJobs.set(rows.options(slot), (optionsJobs.get(rows.options(slot)) ?? 0) + 1);
  }
  if (jobs !== table.size) yield `${jobs} jobs are in rows, ${table.size} have an id`;
  if (histories !== table.histories.size) yield `${histories} jobs have a history, ${table.histories.size} are kept`;
  if (deliveries !== table.deliveryCount) yield `${deliveries} jobs have a delivery, ${table.deliveryCount} are kept`;
  yield* table.options.faults(optionsJobs);
  let live = 0;
  for (const queue of kinds.queues.values()) {
    for (const kind of queue.kinds.values()) {
      live += countOf(kind);
      const [scheduled, ready, inFlight] = counts.get(kind) ?? [0, 0, 0];
      const counted = kind.counts;
      if (counted.scheduled !== scheduled || counted.ready !== ready || counted.in_flight !== inFlight) {
        yield `queue ${queue.name}, type ${kind.type}: the counters are wrong`;
      }
      if (countOf(kind) === 0) yield `queue ${queue.name}, type ${kind.type}: kept without a job`;
    }
  }
  if (live !== jobs) yield `${jobs} jobs are in rows, ${live} were counted`;
}

function count(counts: Map<Kind, number[]>, kind: Kind, table: JobTable, slot: Slot): void {
  const entry = counts.get(kind) ?? [0, 0, 0];
  const place = { scheduled: 0, ready: 1, in_flight: 2 }[table.status(slot)];
  entry[place] = (entry[place] ?? 0) + 1;
  counts.set(kind, entry);
}
