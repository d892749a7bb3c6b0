import type { ReadyJob, ScheduledJob } from "../job/job.ts";
import type { Core } from "./core.ts";
import { asOfNow, type ClaimsFound } from "./recovery.ts";

/** R5: what a recovery would find in the store, against what memory holds. Complaints, none when all is well. */
export async function verify(core: Core): Promise<readonly string[]> {
  await core.committer.settled();
  const snapshot = core.store.snapshot();
  try {
    const claims: ClaimsFound = new Map();
    for await (const page of core.store.scanClaims(snapshot)) for (const { id, claim } of page) claims.set(id, claim);
    const records: (ReadyJob | ScheduledJob)[] = [];
    for await (const page of core.store.scanLive(snapshot)) records.push(...page);
    // Only now: what fell due during the scans was promoted in memory meanwhile.
    const now = core.clock.now();
    const complaints = core.indexes.verify(records.map((job) => asOfNow(job, claims.get(job.id), now)));
    const finished = { filter: {}, after: undefined, order: "asc" } as const;
    const counts = new Map<string, number>();
    for await (const job of core.store.finishedJobs(finished, snapshot)) {
      const key = JSON.stringify([job.status, job.queue, job.type]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const entry of core.indexes.finishedCounts.entries()) {
      const key = JSON.stringify([entry.status, entry.queue, entry.type]);
      const found = counts.get(key) ?? 0;
      if (found !== entry.count) complaints.push(`${key}: ${entry.count} counted, ${found} stored`);
      counts.delete(key);
    }
    for (const [key, found] of counts) complaints.push(`${key}: 0 counted, ${found} stored`);
    return complaints;
  } finally {
    await snapshot.close();
  }
}
