import type { LiveJob } from "../job/job.ts";
import type { Core } from "./core.ts";
import { asOfNow } from "./recovery.ts";

/** R5: what a recovery would find in the store, against what memory holds. Complaints, none when all is well. */
export async function verify(core: Core): Promise<readonly string[]> {
  await core.committer.settled();
  const snapshot = core.store.snapshot();
  try {
    const claims = new Map();
    for await (const page of core.store.scanClaims(snapshot)) for (const { id, claim } of page) claims.set(id, claim);
    const stored: LiveJob[] = [];
    const now = core.clock.now();
    for await (const page of core.store.scanLive(snapshot)) {
      for (const job of page) stored.push(asOfNow(job, claims.get(job.id), now));
    }
    const complaints = [...core.indexes.verify(stored)];
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
