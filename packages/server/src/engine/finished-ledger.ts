/**
 * Finished jobs that are kept: they live on disk only, and their numbers in memory. Decisions about them are made before
 * they are durable (R3), so this is the thin layer of changes that the store does not show yet: a job that finished and is
 * not written, a job that was deleted and is still there. Whoever asks looks here first.
 */
import type { Instant, JobId } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import type { FinishedCounts } from "../index/counters.ts";
import type { FinishedJob, LiveJob } from "../job/job.ts";
import type { GroupCommitter } from "../kv/group-committer.ts";
import type { KvBatch } from "../kv/kv.ts";
import type { Removable } from "../store/finished-operations.ts";
import type { Store } from "../store/store.ts";

export class FinishedLedger {
  readonly #store: Store;
  readonly #committer: GroupCommitter;
  readonly #counts: FinishedCounts;
  readonly #durability: "sync" | "async";
  readonly #pending = new Map<JobId, FinishedJob | "gone">();
  /** Jobs dropped since the sweep under way began, or not yet written as dropped then: what it reads may be older. */
  #droppedDuringSweep: Set<JobId> | undefined;

  constructor(options: {
    store: Store;
    committer: GroupCommitter;
    counts: FinishedCounts;
    durability: "sync" | "async";
  }) {
    this.#store = options.store;
    this.#committer = options.committer;
    this.#counts = options.counts;
    this.#durability = options.durability;
  }

  /** A live job ended and is kept; unless its record is unreadable, which the store has said: then nothing can be kept. */
  keep(batch: KvBatch, live: LiveJob, finished: FinishedJob): void {
    if (!this.#store.finish(batch, live, finished)) return;
    this.#count(batch, finished, 1);
    this.#change(finished.id, finished);
  }

  /** A kept job goes, with all its records. The caller found it with {@link find} or in a sweep. */
  drop(batch: KvBatch, job: Removable): void {
    this.#store.removeFinished(batch, job);
    this.#count(batch, job, -1);
    this.#droppedDuringSweep?.add(job.id);
    this.#change(job.id, "gone");
  }

  /** A sweep begins or ends; not more than one is under way. */
  sweeping(isUnderWay: boolean): void {
    const alreadyGone = [...this.#pending].flatMap(([id, change]) => (change === "gone" ? [id] : []));
    this.#droppedDuringSweep = isUnderWay ? new Set(alreadyGone) : undefined;
  }

  /** Whether a job that a sweep read from the store is gone already. */
  isDropped(id: JobId): boolean {
    return this.#pending.get(id) === "gone" || this.#droppedDuringSweep?.has(id) === true;
  }

  /** A finished job as of now; undefined when there is none, or its retention is over. */
  find(id: JobId, now: Instant): FinishedJob | undefined {
    const change = this.#pending.get(id);
    if (change === "gone") return undefined;
    const job = change ?? this.#store.finished(id)?.job;
    return job === undefined || isExpired(job, now) ? undefined : job;
  }

  /** Jobs about which the store is not right yet. */
  changedIds(): Iterable<JobId> {
    return this.#pending.keys();
  }

  /** Jobs that finished and are not on disk as such. */
  *notYetWritten(): Iterable<FinishedJob> {
    for (const change of this.#pending.values()) if (change !== "gone") yield change;
  }

  #count(batch: KvBatch, job: Pick<Removable, "status" | "queue" | "type">, by: 1 | -1): void {
    const stored = this.#counts.add(job.status, job.queue, job.type, by);
    this.#store.putCount(batch, job.status, job.queue, job.type, stored);
  }

  #change(id: JobId, change: FinishedJob | "gone"): void {
    this.#pending.set(id, change);
    this.#committer.join(this.#durability, {
      durable: () => {
        if (this.#pending.get(id) === change) this.#pending.delete(id);
      },
      refused() {},
    });
  }
}

/** Whether a finished job's retention is over: from its `purgeAt` on it is invisible, reaped or not. */
export function isExpired(job: FinishedJob, now: Instant): boolean {
  return job.purgeAt !== undefined && clampU64(job.purgeAt) <= now;
}
