/**
 * A page of jobs in id order. It is decided in one breath: the live rows from memory, the finished ones that are not written
 * yet from the ledger, and a snapshot of the store for all other finished rows and for payloads. Rows of the three are merged
 * by id; the answer waits for the writes then under way (R3).
 */
import { boundOf } from "../base/id-bytes.ts";
import { limits } from "../base/limits.ts";
import type { FinishedJob, Job, LiveJob } from "../job/job.ts";
import { matches, wantsFinished, wantsLive } from "../job/job-filter.ts";
import type { KvSnapshot } from "../kv/kv.ts";
import type { Core } from "./core.ts";
import { isExpired } from "./finished-ledger.ts";
import { withRecord } from "./get.ts";
import type { JobSnapshot, ListPage, ListQuery } from "./verbs.ts";

export async function list(core: Core, query: ListQuery): Promise<ListPage> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  const inMemory = memoryRows(core, query);
  const changed = new Set(core.finished.changedIds());
  const now = core.clock.now();
  const snapshot = core.store.snapshot();
  const durable = core.committer.settled();
  // It is awaited below; marked as handled so that a read that fails first leaves no rejection behind.
  durable.catch(() => undefined);
  try {
    const page = new Page(query.limit);
    const isVisible = (job: FinishedJob) => !changed.has(job.id) && !isExpired(job, now);
    if (wantsFinished(query.filter)) await mergeFinished(core, query, inMemory, snapshot, { page, isVisible });
    else for (const job of inMemory) if (!page.isFull) page.add(rowOf(core, job, snapshot));
    await durable;
    return { jobs: page.rows, more: page.more };
  } finally {
    await snapshot.close();
  }
}

/** Matching rows that memory knows, one more than the page holds: live ones, and finished ones that are not written yet. */
function memoryRows(core: Core, query: ListQuery): Job[] {
  const { filter, order } = query;
  const live: Job[] = [];
  if (wantsLive(filter)) {
    for (const slot of core.indexes.select(filter, boundBytes(query), order)) {
      live.push(core.indexes.read(slot));
      if (live.length > query.limit) break;
    }
  }
  const now = core.clock.now();
  const unwritten = [...core.finished.notYetWritten()].filter(
    (job) => !isExpired(job, now) && isBeyond(query, job.id) && matches(filter, job),
  );
  if (unwritten.length === 0) return live;
  return [...live, ...unwritten].sort((a, b) => compare(query, a.id, b.id)).slice(0, query.limit + 1);
}

async function mergeFinished(
  core: Core,
  query: ListQuery,
  inMemory: readonly Job[],
  snapshot: KvSnapshot,
  into: { page: Page; isVisible: (job: FinishedJob) => boolean },
): Promise<void> {
  const { page, isVisible } = into;
  let next = 0;
  const takeMemoryUpTo = (id: string | undefined) => {
    for (; next < inMemory.length && !page.isFull; next += 1) {
      const job = inMemory[next];
      if (job === undefined || (id !== undefined && compare(query, job.id, id) > 0)) return;
      page.add(rowOf(core, job, snapshot));
    }
  };
  const { filter, order } = query;
  const finished = core.store.finishedPages({ filter, after: boundBytes(query), order }, snapshot);
  for await (const row of finished) {
    if (!isVisible(row.job)) continue;
    takeMemoryUpTo(row.job.id);
    if (page.isFull) break;
    page.add(row);
  }
  takeMemoryUpTo(undefined);
}

/** Rows until there are enough, in number or in bytes: a page of large payloads is short, and the next link leads on. */
class Page {
  readonly rows: JobSnapshot[] = [];
  /** Whether at least one more row matches. */
  more = false;
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.more;
  }

  add(row: JobSnapshot | undefined): void {
    if (row === undefined) return;
    if (this.rows.length === this.#limit || this.#bytes >= limits.pageBytesMax) {
      this.more = true;
      return;
    }
    this.rows.push(row);
    this.#bytes += row.payload.bytes.length;
  }
}

/** A finished job that is not written as such still has its payload where it was while it lived. */
function rowOf(core: Core, job: Job, snapshot: KvSnapshot): JobSnapshot | undefined {
  if (job.status === "completed" || job.status === "dead") {
    const record = core.store.live(job.id, snapshot);
    return record === undefined ? undefined : { job, payload: record.payload };
  }
  return withRecord(core, job satisfies LiveJob, snapshot);
}

function boundBytes(query: ListQuery): Uint8Array | undefined {
  return query.from === undefined ? undefined : boundOf(query.from, query.order).bytes;
}

function isBeyond(query: ListQuery, id: string): boolean {
  return query.from === undefined || compare(query, id, query.from) > 0;
}

function compare(query: ListQuery, a: string, b: string): number {
  const ascending = a < b ? -1 : a > b ? 1 : 0;
  return query.order === "asc" ? ascending : -ascending;
}
