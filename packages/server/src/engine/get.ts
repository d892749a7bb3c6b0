import { QueueError } from "@millrace/protocol/errors";
import { parseJobId } from "@millrace/protocol/ids";
import type { LiveJob } from "../job/job.ts";
import type { KvReader } from "../kv/kv.ts";
import type { Core } from "./core.ts";
import type { JobSnapshot } from "./verbs.ts";

/** One job with its payload. Read in one breath, answered when all that was decided before is durable (R3). */
export async function get(core: Core, text: string): Promise<JobSnapshot> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  const found = look(core, text);
  await core.committer.settled();
  if (found === undefined) throw new QueueError("JOB_NOT_FOUND", `there is no job ${text}`);
  return found;
}

function look(core: Core, text: string): JobSnapshot | undefined {
  const id = parseJobId(text);
  if (id === undefined) return undefined;
  const slot = core.indexes.find(id);
  if (slot >= 0) return withRecord(core, core.indexes.read(slot));
  const job = core.finished.find(id, core.clock.now());
  const payload = job === undefined ? undefined : core.store.payload(id);
  return job === undefined || payload === undefined ? undefined : { job, payload };
}

/**
 * A live job as memory has it, with what only the store has: the payload, and times beyond 2^53.
 * @param at a snapshot taken in the breath in which the job was read; the store itself by default
 */
export function withRecord(core: Core, job: LiveJob, at?: KvReader): JobSnapshot | undefined {
  const record = core.store.live(job.id, at);
  if (record === undefined) return undefined;
  const exact = typeof record.job.readyAt === "bigint" && job.readyAt === Number.MAX_SAFE_INTEGER;
  return { job: exact ? { ...job, readyAt: record.job.readyAt } : job, payload: record.payload };
}
