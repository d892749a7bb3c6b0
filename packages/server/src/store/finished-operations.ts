/** The keys of a finished job: its record, three index keys and a purge mark, which come and go together. */
import type { JobId, U64 } from "@millrace/protocol/ids";
import type { FinishedJob } from "../job/job.ts";
import type { KvBatch } from "../kv/kv.ts";
import { attemptsKept } from "./error-record.ts";
import { encodeJob, inlinePayload, isApart } from "./job-record.ts";
import {
  errorKey,
  type FinishedStatus,
  idKey,
  namePrefix,
  purgeKey,
  siblingKey,
  statusPrefix,
  tags,
  withId,
} from "./keyspace.ts";
import { encodePurgeMark } from "./small-records.ts";

/** What must be known of a finished job to delete it: a job, or an entry of the purge scan. */
export interface Removable {
  readonly id: JobId;
  readonly status: FinishedStatus;
  readonly queue: string;
  readonly type: string;
  readonly attempts: number;
  readonly purgeAt: U64 | undefined;
  /** Whether its payload stands apart; not known = the key is deleted in case it is there. */
  readonly apart?: boolean;
}

const nothing = Buffer.alloc(0);

/** @param liveRecord the usable record of the live job, whose payload goes over into the new one */
export function putFinished(batch: KvBatch, job: FinishedJob, purgeAt: U64, liveRecord: Buffer): void {
  const key = idKey(tags.finished, job.id);
  const apart = isApart(liveRecord);
  batch.put(key, encodeJob(job, inlinePayload(liveRecord), apart, key));
  for (const indexKey of indexKeys(job)) batch.put(indexKey, nothing);
  const mark = purgeKey(purgeAt, job.id);
  batch.put(mark, encodePurgeMark({ ...job, apart }, mark));
}

export function removeFinished(batch: KvBatch, job: Removable): void {
  const key = idKey(tags.finished, job.id);
  batch.del(key);
  for (const indexKey of indexKeys(job)) batch.del(indexKey);
  if (job.purgeAt !== undefined) batch.del(purgeKey(job.purgeAt, job.id));
  if (job.apart !== false) batch.del(siblingKey(tags.payload, key));
  removeErrors(batch, job.id, job.attempts);
}

export function removeErrors(batch: KvBatch, id: JobId, attempts: number): void {
  for (const attempt of attemptsKept(attempts)) batch.del(errorKey(id, attempt));
}

function indexKeys(job: Pick<Removable, "id" | "status" | "queue" | "type">): Buffer[] {
  return [
    withId(statusPrefix(job.status), job.id),
    withId(namePrefix(tags.byQueue, job.queue), job.id),
    withId(namePrefix(tags.byType, job.type), job.id),
  ];
}
