/**
 * From a store to a running engine, in two steps. Before any listener opens: one scan of the claims, which makes what was in
 * flight ready again. Behind open listeners: one scan of the live jobs, which fills the indexes. The scan reads a snapshot
 * that is taken before the first enqueue is accepted, so nothing is seen twice; what is enqueued meanwhile has larger ids and
 * is published after it.
 */
import type { JobId } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import type { Clock } from "../base/clock.ts";
import type { Indexes } from "../index/indexes.ts";
import type { LiveJob, ReadyJob, ScheduledJob } from "../job/job.ts";
import type { GroupCommitter } from "../kv/group-committer.ts";
import type { KvSnapshot } from "../kv/kv.ts";
import type { Claim } from "../store/small-records.ts";
import type { Store } from "../store/store.ts";

/** Claims found on disk, all of them given back; what they know of their jobs outlives them. */
export type ClaimsFound = Map<JobId, Claim>;

/** Operations after which recovery waits for its write: a million claims must not become one batch. */
const writeOperationsMax = 10_000;

/** Makes every job that was in flight ready again, on disk. */
export async function giveBackClaims(store: Store, committer: GroupCommitter): Promise<ClaimsFound> {
  const found: ClaimsFound = new Map();
  let staged = 0;
  for await (const page of store.scanClaims()) {
    for (const { id, claim } of page) {
      found.set(id, claim);
      if (!claim.held) continue;
      store.giveBackAtStart(committer.stage(), id, claim);
      committer.join("async");
      staged += 1;
      if (staged % writeOperationsMax === 0) await committer.settled();
    }
  }
  await committer.settled();
  return found;
}

/** What a rebuild found, for the log. */
export interface Rebuilt {
  readonly live: number;
}

/** Fills the indexes from a snapshot. */
export async function rebuild(options: {
  store: Store;
  indexes: Indexes;
  clock: Clock;
  claims: ClaimsFound;
  snapshot: KvSnapshot;
  /** Whether this life is over already. */
  isCancelled: () => boolean;
}): Promise<Rebuilt> {
  const { store, indexes, clock, claims } = options;
  let live = 0;
  for await (const { status, queue, type, count } of store.scanCounts(options.snapshot)) {
    indexes.finishedCounts.set(status, queue, type, count);
  }
  const now = clock.now();
  for await (const page of store.scanLive(options.snapshot)) {
    if (options.isCancelled()) return { live };
    for (const job of page) {
      const claim = claims.get(job.id);
      if (claim !== undefined) claims.delete(job.id);
      indexes.publish(asOfNow(job, claim, now));
      live += 1;
    }
  }
  claims.clear();
  return { live };
}

/** Drops claims, errors and payloads without their job: a power cut can leave them. Behind open doors, in slices. */
export async function dropOrphans(options: {
  store: Store;
  committer: GroupCommitter;
  snapshot: KvSnapshot;
  /** Whether this life is over already. */
  isCancelled: () => boolean;
}): Promise<number> {
  const { store, committer, snapshot } = options;
  let dropped = 0;
  for await (const page of store.scanOrphans(snapshot)) {
    if (options.isCancelled()) return dropped;
    for (const orphan of page) {
      store.dropOrphan(committer.stage(), orphan);
      committer.join("async");
      dropped += 1;
    }
    await committer.settled();
  }
  return dropped;
}

/** A stored header says what the job is when nobody holds it; a claim makes it ready, and so does a due time that passed. */
export function asOfNow(job: ScheduledJob | ReadyJob, claim: Claim | undefined, now: number): LiveJob {
  if (claim === undefined && job.status === "scheduled" && clampU64(job.readyAt) > now) return job;
  return {
    id: job.id,
    queue: job.queue,
    type: job.type,
    priority: job.priority,
    readyAt: job.readyAt,
    attempts: job.attempts,
    lost: claim?.lost ?? job.lost,
    dequeuedAt: claim?.dequeuedAt ?? job.dequeuedAt,
    failedAt: job.failedAt,
    options: job.options,
    status: "ready",
  };
}
