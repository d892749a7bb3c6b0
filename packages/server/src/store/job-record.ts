/**
 * JobRecord v1: a job as bytes, under `L` while it lives and under `F` when it is over. Integers are little-endian.
 *
 *   at  0  u8   version, 1
 *       1  u8   state: what the job is when nobody holds it (`states`)
 *       2  u16  priority
 *       4  u32  flags: which of the optional fields follow (`job-fields.ts`)
 *       8  u32  attempts
 *      12  u32  where the payload begins
 *      16  u64  ready_at
 *      24       optional fields, in the order of their flags
 *               queue, type (`name-bytes.ts`)
 *               payload, unless it stands apart under `P`
 *     end  u32  checksum (`checksum.ts`)
 *
 * A record with a version, state or flag that this build does not know was written by a newer one: it is refused as a whole,
 * for what it says about the job would be read only in part.
 *
 * Checklist for v2, or a new flag:
 *   1. An optional field: append to each table and function of `job-fields.ts`. Old records stay as they are.
 *   2. Anything that moves or changes what is there: a new version byte, with a reader for both.
 *   3. Either way an older server cannot read the new records: raise the store's format version (`format-guard.ts`), say in
 *      docs/operations.md how to go back, and keep v1's golden bytes (test/store/golden.test.ts) beside the new ones.
 */
import type { JobId, QueueName, TypeName } from "@millrace/protocol/ids";
import type { DeathReason } from "@millrace/protocol/job-view";
import { invariant, unreachable } from "../base/assert.ts";
import type { CompletedJob, DeadJob, FinishedJob, Payload, ReadyJob, ScheduledJob } from "../job/job.ts";
import { CRC_BYTES, isIntact, seal } from "./checksum.ts";
import { getU16, getU32, getU64, putU16, putU32, putU64 } from "./integer-bytes.ts";
import {
  type Fields,
  fieldsLength,
  flags,
  flagsKnown,
  flagsOf,
  hasFields,
  putFields,
  readFields,
  type StoredJob,
} from "./job-fields.ts";
import { nameBytes, nameEnd, readName } from "./name-bytes.ts";

const VERSION = 1;
const FIXED_BYTES = 24;

const states = { ready: 0, delayed: 1, retry: 2, completed: 3, exhausted: 4, killed: 5 } as const;
const stateMax = states.killed;

/** Why a record is not handed out. */
export type Unreadable = "damaged" | "newer";

/**
 * @param apart the payload stands under `P`; its bytes are then not written here
 * @param key the key that the record is stored under
 */
export function encodeJob(job: StoredJob, payload: Payload, apart: boolean, key: Uint8Array): Buffer {
  const present = flagsOf(job, payload, apart);
  const queue = nameBytes(job.queue);
  const type = nameBytes(job.type);
  const names = FIXED_BYTES + fieldsLength(present);
  const payloadStart = names + queue.length + type.length;
  const payloadLength = apart ? 0 : payload.bytes.length;
  const record = Buffer.allocUnsafe(payloadStart + payloadLength + CRC_BYTES);
  record[0] = VERSION;
  record[1] = stateOf(job);
  putU16(record, 2, job.priority);
  putU32(record, 4, present);
  putU32(record, 8, job.attempts);
  putU32(record, 12, payloadStart);
  putU64(record, 16, job.readyAt);
  if (hasFields(present)) putFields(record, FIXED_BYTES, job, present);
  record.set(queue, names);
  record.set(type, names + queue.length);
  if (!apart) record.set(payload.bytes, payloadStart);
  return seal(record, key);
}

/** Whether, and why, a record must not be read. Everything below may be called only after this said undefined. */
export function unreadableJob(record: Buffer, key: Uint8Array): Unreadable | undefined {
  if (record.length < FIXED_BYTES + CRC_BYTES || !isIntact(record, key)) return "damaged";
  const known = record[0] === VERSION && (record[1] ?? 0) <= stateMax && (getU32(record, 4) & ~flagsKnown) === 0;
  return known ? undefined : "newer";
}

/** Whether the payload stands under `P`. */
export function isApart(record: Buffer): boolean {
  return (getU32(record, 4) & flags.apart) !== 0;
}

/** The payload inside the record, as a view of it; without bytes when it stands apart. */
export function inlinePayload(record: Buffer): Payload {
  return {
    format: (getU32(record, 4) & flags.msgpack) === 0 ? "json" : "msgpack",
    bytes: record.subarray(getU32(record, 12), record.length - CRC_BYTES),
  };
}

/** A job under `L`: as if nobody had ever taken it since the record was written; its claim says the rest. */
export function decodeLive(record: Buffer, id: JobId): ScheduledJob | ReadyJob {
  const fields = readFields(record, FIXED_BYTES, getU32(record, 4));
  const state = record[1];
  if (state === states.ready) return readyOf(record, id, fields);
  invariant(state === states.delayed || state === states.retry, "a finished job was stored as a live one");
  return scheduledOf(record, id, fields, state === states.retry ? "retry" : "delay");
}

/** A job under `F`. */
export function decodeFinished(record: Buffer, id: JobId): FinishedJob {
  const fields = readFields(record, FIXED_BYTES, getU32(record, 4));
  const state = record[1];
  if (state === states.completed) return completedOf(record, id, fields);
  invariant(state === states.exhausted || state === states.killed, "a live job was stored as a finished one");
  return deadOf(record, id, fields, state === states.killed ? "killed" : "retries_exhausted");
}

// Each result is spelled out: a spread of so many members costs ten times as much as all the rest of decoding.

function readyOf(record: Buffer, id: JobId, fields: Fields): ReadyJob {
  const queueEnd = nameEnd(record, fields.end);
  return {
    id,
    queue: readQueue(record, fields.end, queueEnd),
    type: readType(record, queueEnd),
    priority: getU16(record, 2),
    readyAt: getU64(record, 16),
    attempts: getU32(record, 8),
    lost: fields.lost,
    dequeuedAt: fields.dequeuedAt,
    failedAt: fields.failedAt,
    options: fields.options,
    status: "ready",
  };
}

function scheduledOf(record: Buffer, id: JobId, fields: Fields, because: "delay" | "retry"): ScheduledJob {
  const queueEnd = nameEnd(record, fields.end);
  return {
    id,
    queue: readQueue(record, fields.end, queueEnd),
    type: readType(record, queueEnd),
    priority: getU16(record, 2),
    readyAt: getU64(record, 16),
    attempts: getU32(record, 8),
    lost: fields.lost,
    dequeuedAt: fields.dequeuedAt,
    failedAt: fields.failedAt,
    options: fields.options,
    status: "scheduled",
    because,
  };
}

function completedOf(record: Buffer, id: JobId, fields: Fields): CompletedJob {
  const { completedAt } = fields;
  invariant(completedAt !== undefined, "a completed job was stored without the time of its completion");
  const queueEnd = nameEnd(record, fields.end);
  return {
    id,
    queue: readQueue(record, fields.end, queueEnd),
    type: readType(record, queueEnd),
    priority: getU16(record, 2),
    readyAt: getU64(record, 16),
    attempts: getU32(record, 8),
    lost: fields.lost,
    dequeuedAt: fields.dequeuedAt,
    failedAt: fields.failedAt,
    options: fields.options,
    status: "completed",
    completedAt,
    purgeAt: fields.purgeAt,
  };
}

function deadOf(record: Buffer, id: JobId, fields: Fields, reason: DeathReason): DeadJob {
  const { failedAt } = fields;
  invariant(failedAt !== undefined, "a dead job was stored without the time of its failure");
  const queueEnd = nameEnd(record, fields.end);
  return {
    id,
    queue: readQueue(record, fields.end, queueEnd),
    type: readType(record, queueEnd),
    priority: getU16(record, 2),
    readyAt: getU64(record, 16),
    attempts: getU32(record, 8),
    lost: fields.lost,
    dequeuedAt: fields.dequeuedAt,
    failedAt,
    options: fields.options,
    status: "dead",
    reason,
    purgeAt: fields.purgeAt,
  };
}

function readQueue(record: Buffer, at: number, end: number): QueueName {
  return readName(record, at, end) as QueueName;
}

function readType(record: Buffer, at: number): TypeName {
  return readName(record, at, nameEnd(record, at)) as TypeName;
}

function stateOf(job: StoredJob): number {
  switch (job.status) {
    case "ready":
      return states.ready;
    case "scheduled":
      return job.because === "retry" ? states.retry : states.delayed;
    case "completed":
      return states.completed;
    case "dead":
      return job.reason === "killed" ? states.killed : states.exhausted;
    default:
      return unreachable(job);
  }
}
