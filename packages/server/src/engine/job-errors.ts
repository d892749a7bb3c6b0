import { QueueError } from "@millrace/protocol/errors";
import { type JobId, parseJobId } from "@millrace/protocol/ids";
import type { ErrorRecord } from "../job/job.ts";
import type { Core } from "./core.ts";
import type { ErrorPage, ErrorQuery } from "./verbs.ts";

/** Failed attempts of a job, by attempt; a cursor is exclusive in both orders. */
export async function errorsOf(core: Core, text: string, query: ErrorQuery): Promise<ErrorPage> {
  const id = await existing(core, text);
  const records = await core.store.errors(id, { ...query, limit: query.limit + 1 });
  return { records: records.slice(0, query.limit), more: records.length > query.limit };
}

/** One failed attempt. */
export async function errorOf(core: Core, text: string, attempt: number): Promise<ErrorRecord> {
  const id = await existing(core, text);
  const record = core.store.error(id, attempt);
  if (record === undefined) throw new QueueError("ATTEMPT_NOT_FOUND", `job ${text} has no failed attempt ${attempt}`);
  return record;
}

async function existing(core: Core, text: string): Promise<JobId> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  const id = parseJobId(text);
  const exists =
    id !== undefined && (core.indexes.find(id) >= 0 || core.finished.find(id, core.clock.now()) !== undefined);
  await core.committer.settled();
  if (!exists) throw new QueueError("JOB_NOT_FOUND", `there is no job ${text}`);
  return id;
}
