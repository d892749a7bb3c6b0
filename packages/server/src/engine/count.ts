import { isCounted, type JobFilter, matches, wantsFinished, wantsLive } from "../job/job-filter.ts";
import type { Core } from "./core.ts";
import { isExpired } from "./finished-ledger.ts";

/** Rows looked at before other work gets its turn. */
const sliceRows = 20_000;

/**
 * The number of jobs that a filter means. By queue, type and status it is read from counters; other filters look at every row
 * in slices, so that live traffic goes on meanwhile.
 */
export async function count(core: Core, filter: JobFilter): Promise<number> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  if (wantsFinished(filter)) await core.janitor.sweep();
  if (isCounted(filter)) {
    const total = core.indexes.countLive(filter) + core.indexes.finishedCounts.count(filter);
    await core.committer.settled();
    return total;
  }
  const total = (await countLive(core, filter)) + (await countFinished(core, filter));
  await core.committer.settled();
  return total;
}

async function countLive(core: Core, filter: JobFilter): Promise<number> {
  if (!wantsLive(filter)) return 0;
  let total = 0;
  let after: Uint8Array | undefined;
  for (;;) {
    const slice = core.indexes.countSlice(filter, after, sliceRows);
    total += slice.matches;
    if (slice.next === undefined) return total;
    after = slice.next;
    await new Promise<void>((resolve) => core.clock.soon(resolve));
  }
}

async function countFinished(core: Core, filter: JobFilter): Promise<number> {
  if (!wantsFinished(filter)) return 0;
  const now = core.clock.now();
  const unwritten = [...core.finished.notYetWritten()].filter((job) => matches(filter, job));
  const changed = new Set(core.finished.changedIds());
  const snapshot = core.store.snapshot();
  let total = unwritten.length;
  try {
    for await (const job of core.store.finishedJobs({ filter, after: undefined, order: "asc" }, snapshot)) {
      if (!changed.has(job.id) && !isExpired(job, now)) total += 1;
    }
  } finally {
    await snapshot.close();
  }
  return total;
}
