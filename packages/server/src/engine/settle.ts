/**
 * A worker gives a job back with an answer. The change is decided and applied in one breath, so a second answer finds it
 * changed and the freed credit pays for new claims in the same write; the caller hears of it when that write is durable (R3).
 */
import { QueueError } from "@millrace/protocol/errors";
import { clampU64, parseJobId } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import type { Slot } from "../index/job-table.ts";
import type { ErrorRecord, Failure, FinishedJob, InFlightJob, Job } from "../job/job.ts";
import { complete, fail } from "../job/transitions.ts";
import type { Core } from "./core.ts";
import type { Ack, SettleReport } from "./verbs.ts";

/** What an answer refers to. */
type Target =
  | { readonly kind: "current"; readonly slot: Slot; readonly job: InFlightJob }
  | { readonly kind: "unknown" | "not_in_flight" | "stale" };

/** Settles one delivery as done. Throws JOB_NOT_FOUND, JOB_NOT_IN_FLIGHT or STALE_DELIVERY. */
export async function succeed(core: Core, ack: Ack): Promise<void> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  core.gate.assertAccepting();
  const target = locate(core, ack);
  if (target.kind !== "current") throw await refusal(core, ack, target.kind);
  applySuccess(core, target.slot, target.job);
  const durable = core.committer.commit(core.durability);
  core.dispatcher.pump();
  await durable;
}

/** Settles many in one write; what cannot be settled is reported, the rest is done. */
export async function succeedMany(core: Core, acks: readonly Ack[]): Promise<SettleReport> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  core.gate.assertAccepting();
  const notFound: string[] = [];
  const stale: string[] = [];
  let settled = 0;
  // Before the first refusal everything was settled, and what is settled is refused when it is repeated: nothing to remember.
  let seen: Set<string> | undefined;
  for (const ack of acks) {
    if (seen?.has(ack.id)) continue;
    const target = locate(core, ack);
    if (target.kind === "current") {
      seen?.add(ack.id);
      applySuccess(core, target.slot, target.job);
      settled += 1;
      continue;
    }
    seen ??= idsBefore(acks, ack);
    if (seen.has(ack.id)) continue;
    seen.add(ack.id);
    (target.kind === "stale" ? stale : notFound).push(ack.id);
  }
  // What was refused was decided from memory that may be ahead of the disk: its answer waits as well.
  const durable = settled > 0 ? core.committer.commit(core.durability) : core.committer.settled();
  core.dispatcher.pump();
  await durable;
  return { notFound, stale };
}

function idsBefore(acks: readonly Ack[], end: Ack): Set<string> {
  const ids = new Set<string>();
  for (const ack of acks) {
    if (ack === end) break;
    ids.add(ack.id);
  }
  return ids;
}

/** Settles one delivery as failed: retry or death. Throws JOB_NOT_FOUND, JOB_NOT_IN_FLIGHT or STALE_DELIVERY. */
export async function failJob(core: Core, ack: Ack, failure: Failure): Promise<Job> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  core.gate.assertAccepting();
  const target = locate(core, ack);
  if (target.kind !== "current") throw await refusal(core, ack, target.kind);
  const job = applyFailure(core, target.slot, target.job, failure);
  const durable = core.committer.commit(core.durability);
  core.dispatcher.pump();
  await durable;
  return job;
}

/** The table of http-api.md E2: an answer without a token names only the job, one with a token must name its delivery. */
function locate(core: Core, ack: Ack): Target {
  const id = parseJobId(ack.id);
  if (id === undefined) return { kind: "unknown" };
  const slot = core.indexes.find(id);
  if (slot < 0) {
    if (core.finished.find(id, core.clock.now()) === undefined) return { kind: "unknown" };
    return { kind: ack.delivery === undefined ? "not_in_flight" : "stale" };
  }
  const job = core.indexes.read(slot);
  if (ack.delivery !== undefined) {
    if (job.status !== "in_flight" || job.delivery !== ack.delivery) return { kind: "stale" };
  } else if (job.status !== "in_flight") {
    return { kind: "not_in_flight" };
  }
  return { kind: "current", slot, job };
}

async function refusal(core: Core, ack: Ack, kind: "unknown" | "not_in_flight" | "stale"): Promise<QueueError> {
  await core.committer.settled();
  switch (kind) {
    case "unknown":
      return new QueueError("JOB_NOT_FOUND", `there is no job ${ack.id}`);
    case "not_in_flight":
      return new QueueError("JOB_NOT_IN_FLIGHT", `job ${ack.id} is not in flight`);
    case "stale":
      return new QueueError("STALE_DELIVERY", `the delivery named is not the current one of job ${ack.id}`);
  }
}

function applySuccess(core: Core, slot: Slot, job: InFlightJob): void {
  core.dispatcher.slotFreed(core.indexes.sessionOf(slot));
  finish(core, slot, job, complete(job, core.clock.now(), core.retention));
}

function applyFailure(core: Core, slot: Slot, job: InFlightJob, failure: Failure): Job {
  const now = core.clock.now();
  const outcome = fail(job, failure, now, core.random.next(), core.retry, core.retention);
  core.dispatcher.slotFreed(core.indexes.sessionOf(slot));
  const batch = core.committer.stage();
  if (outcome.status === "scheduled" || outcome.purgeAt !== undefined) {
    core.store.putError(batch, job.id, errorRecord(job, outcome.attempts, failure, now));
  }
  if (outcome.status === "dead") {
    finish(core, slot, job, outcome);
  } else if (core.store.rewriteLive(batch, outcome)) {
    core.store.dropClaim(batch, job.id);
    core.indexes.change(slot, outcome);
    core.scheduler.noticed(clampU64(outcome.readyAt));
  } else {
    // Its record is unreadable, which the store has said: there is nothing left that could run again.
    core.indexes.remove(slot);
  }
  return outcome;
}

/** Out of memory's live part; kept on disk as finished, or gone with all its records. */
function finish(core: Core, slot: Slot, live: InFlightJob, finished: FinishedJob): void {
  const batch = core.committer.stage();
  core.indexes.remove(slot);
  if (finished.purgeAt === undefined) core.store.removeLive(batch, live);
  else core.finished.keep(batch, live, finished);
}

function errorRecord(
  job: InFlightJob,
  attempt: number,
  failure: Failure,
  failedAt: InFlightJob["dequeuedAt"],
): ErrorRecord {
  invariant(attempt > 0, "attempts are numbered from 1");
  return {
    attempt,
    message: failure.message,
    ...(failure.errorType === undefined ? {} : { errorType: failure.errorType }),
    ...(failure.backtrace === undefined ? {} : { backtrace: failure.backtrace }),
    dequeuedAt: job.dequeuedAt,
    failedAt,
  };
}
