/** Single jobs by id, live and finished: what a reader (the store or a snapshot) holds, or nothing when it must not be used. */
import type { JobId } from "@millrace/protocol/ids";
import type { FinishedJob, Payload, ReadyJob, ScheduledJob } from "../job/job.ts";
import type { KvReader } from "../kv/kv.ts";
import { decodeFinished, decodeLive, inlinePayload, isApart, unreadableJob } from "./job-record.ts";
import { idKey, siblingKey, tags } from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";
import { decodePayload } from "./small-records.ts";

/** A job as its record says, and its payload. */
export interface StoredLive {
  readonly job: ScheduledJob | ReadyJob;
  readonly payload: Payload;
}

export interface StoredFinished {
  readonly job: FinishedJob;
  readonly payload: Payload;
}

/** The record of a job under its key, intact and of a version we know. */
export function readRecord(from: KvReader, quarantine: Quarantine, key: Uint8Array): Buffer | undefined {
  const record = from.get(key);
  return record !== undefined && isUsable(quarantine, key, record) ? record : undefined;
}

/** Whether a job's record may be decoded; takes note if not. */
export function isUsable(quarantine: Quarantine, key: Uint8Array, record: Buffer): boolean {
  const why = unreadableJob(record, key);
  if (why !== undefined) quarantine.note(key, why);
  return why === undefined;
}

/** The payload that belongs to a usable record, inside it or apart. */
export function payloadOf(
  from: KvReader,
  quarantine: Quarantine,
  key: Uint8Array,
  record: Buffer,
): Payload | undefined {
  return isApart(record) ? apartPayload(from, quarantine, siblingKey(tags.payload, key)) : inlinePayload(record);
}

export function apartPayload(from: KvReader, quarantine: Quarantine, key: Uint8Array): Payload | undefined {
  const record = from.get(key);
  return record === undefined ? undefined : quarantine.admit(key, decodePayload(record, key));
}

export function readLive(from: KvReader, quarantine: Quarantine, id: JobId): StoredLive | undefined {
  const key = idKey(tags.live, id);
  const record = readRecord(from, quarantine, key);
  const payload = record === undefined ? undefined : payloadOf(from, quarantine, key, record);
  return record === undefined || payload === undefined ? undefined : { job: decodeLive(record, id), payload };
}

export function readFinished(from: KvReader, quarantine: Quarantine, id: JobId): StoredFinished | undefined {
  const key = idKey(tags.finished, id);
  const record = readRecord(from, quarantine, key);
  const payload = record === undefined ? undefined : payloadOf(from, quarantine, key, record);
  return record === undefined || payload === undefined ? undefined : { job: decodeFinished(record, id), payload };
}
