/**
 * From a store to a running engine, in two steps. Before any listener opens: one scan of the claims, which makes what was in
 * flight ready again. Behind open listeners: one scan of the live jobs, which fills the indexes. The scan reads a snapshot
 * that is taken before the first enqueue is accepted, so nothing is seen twice; what is enqueued meanwhile has larger ids and
 * is published after it.
 */
import type { JobId } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import type { Clock } from "../base/clock.ts";
import { FinishedCounts } from "../index/counters.ts";
import type { Indexes } from "../index/indexes.ts";
import type { ReadyJob, ScheduledJob } from "../job/job.ts";
import { recover } from "../job/transitions.ts";
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
  /** Jobs whose payload a power cut took: they are gone. */
  readonly bodiless: number;
}

export interface RebuildOptions {
  readonly store: Store;
  readonly committer: GroupCommitter;
  readonly indexes: Indexes;
  readonly clock: Clock;
  readonly claims: ClaimsFound;
  readonly snapshot: KvSnapshot;
  /** Whether this life is over already. */
  readonly isCancelled: () => boolean;
}

/** Fills the indexes from a snapshot. After a power cut it first puts right what lost writes may have left. */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { store, indexes, clock, claims, snapshot } = options;
  const bodiless = store.aftermath.mayHaveLostWrites ? await dropBodiless(options) : new Set<JobId>();
  for await (const { status, queue, type, count } of store.scanCounts(snapshot)) {
    indexes.finishedCounts.set(status, queue, type, count);
  }
  if (store.aftermath.mayHaveLostWrites) {
    await recountFinished(options, bodiless);
    // The janitor reads the store as it is: what was dropped above must be gone before it starts, or it is counted off twice.
    await options.committer.settled();
  }
  let live = 0;
  const now = clock.now();
  for await (const page of store.scanLive(snapshot)) {
    if (options.isCancelled()) break;
    for (const job of page) {
      if (bodiless.has(job.id)) continue;
      indexes.publish(asOfNow(job, claims.get(job.id), now));
      live += 1;
    }
  }
  claims.clear();
  return { live, bodiless: bodiless.size };
}

/** A job whose payload is gone can never run: it goes as well. */
async function dropBodiless({ store, committer, snapshot, isCancelled }: RebuildOptions): Promise<Set<JobId>> {
  const dropped = new Set<JobId>();
  for await (const page of store.aftermath.scanBodiless(snapshot)) {
    if (isCancelled()) break;
    for (const { kind, job } of page) {
      const batch = committer.stage();
      if (kind === "live") store.removeLive(batch, job);
      else store.removeFinished(batch, job);
      committer.join("async");
      dropped.add(job.id);
    }
  }
  return dropped;
}

/** The numbers of finished jobs follow from each other, so one lost write makes them wrong: count the jobs themselves. */
async function recountFinished(options: RebuildOptions, bodiless: ReadonlySet<JobId>): Promise<void> {
  const { store, committer, indexes, snapshot } = options;
  const counted = new FinishedCounts();
  for await (const job of store.finishedJobs({ filter: {}, order: "asc" }, snapshot)) {
    if (options.isCancelled()) return;
    if (!bodiless.has(job.id)) counted.add(job.status, job.queue, job.type, 1);
  }
  const { finishedCounts } = indexes;
  for (const { status, queue, type } of [...finishedCounts.entries(), ...counted.entries()]) {
    const count = counted.get(status, queue, type);
    if (finishedCounts.get(status, queue, type) === count) continue;
    finishedCounts.set(status, queue, type, count);
    store.putCount(committer.stage(), status, queue, type, count);
    committer.join("async");
  }
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
  for await (const page of store.aftermath.scanOrphans(snapshot)) {
    if (options.isCancelled()) return dropped;
    for (const orphan of page) {
      store.aftermath.dropOrphan(committer.stage(), orphan);
      committer.join("async");
      dropped += 1;
    }
    await committer.settled();
  }
  return dropped;
}

/** A stored header says what the job is when nobody holds it; a claim makes it ready, and so does a due time that passed. */
export function asOfNow(job: ScheduledJob | ReadyJob, claim: Claim | undefined, now: number): ScheduledJob | ReadyJob {
  if (claim === undefined && job.status === "scheduled" && clampU64(job.readyAt) > now) return job;
  return recover(job, claim);
}
