/**
 * The optional fields of a job record, each behind a flag, in the order of their bits: most jobs have none of them, and then
 * none of this runs. A flag's bit never changes its meaning.
 */
import type { Instant, U64 } from "@millrace/protocol/ids";
import { instant } from "@millrace/protocol/ids";
import type { FinishedJob, JobOptions, Payload, ReadyJob, ScheduledJob } from "../job/job.ts";
import { getU32, getU64, putU32, putU64 } from "./integer-bytes.ts";

export const flags = {
  /** The payload is MessagePack, not JSON. */
  msgpack: 1 << 0,
  /** The payload stands under `P`. */
  apart: 1 << 1,
  dequeuedAt: 1 << 2,
  failedAt: 1 << 3,
  lost: 1 << 4,
  retryLimit: 1 << 5,
  backoff: 1 << 6,
  completedRetention: 1 << 7,
  deadRetention: 1 << 8,
  completedAt: 1 << 9,
  purgeAt: 1 << 10,
} as const;
export const flagsKnown = (1 << 11) - 1;

/** Bytes of the optional field of each flag, by its bit. */
const fieldBytes = [0, 0, 8, 8, 4, 4, 12, 8, 8, 8, 8] as const;

/** What a record is made of: a live job that nobody holds, or one that is over and kept. */
export type StoredJob = ScheduledJob | ReadyJob | FinishedJob;

/** Whether any flag is set that has a field. */
export function hasFields(present: number): boolean {
  return present > (flags.msgpack | flags.apart);
}

export function flagsOf(job: StoredJob, payload: Payload, apart: boolean): number {
  let present = payload.format === "msgpack" ? flags.msgpack : 0;
  if (apart) present |= flags.apart;
  if (job.dequeuedAt !== undefined) present |= flags.dequeuedAt;
  if (job.failedAt !== undefined) present |= flags.failedAt;
  if (job.lost !== 0) present |= flags.lost;
  const { options } = job;
  if (options.retryLimit !== undefined) present |= flags.retryLimit;
  if (options.backoff !== undefined) present |= flags.backoff;
  if (options.completedRetentionMs !== undefined) present |= flags.completedRetention;
  if (options.deadRetentionMs !== undefined) present |= flags.deadRetention;
  if (job.status === "completed") present |= flags.completedAt;
  if ((job.status === "completed" || job.status === "dead") && job.purgeAt !== undefined) present |= flags.purgeAt;
  return present;
}

export function fieldsLength(present: number): number {
  let length = 0;
  for (let bit = 2; present >>> bit !== 0; bit += 1) {
    if ((present & (1 << bit)) !== 0) length += fieldBytes[bit] ?? 0;
  }
  return length;
}

export function putFields(record: Buffer, start: number, job: StoredJob, present: number): void {
  let at = start;
  const u64 = (value: U64 | undefined) => {
    if (value === undefined) return;
    putU64(record, at, value);
    at += 8;
  };
  const u32 = (value: number | undefined) => {
    if (value === undefined) return;
    putU32(record, at, value);
    at += 4;
  };
  const { backoff, retryLimit, completedRetentionMs, deadRetentionMs } = job.options;
  u64(job.dequeuedAt);
  u64(job.failedAt);
  u32((present & flags.lost) === 0 ? undefined : job.lost);
  u32(retryLimit);
  if (backoff !== undefined) {
    at = record.writeFloatLE(backoff.exponent, at);
    u32(backoff.baseMs);
    u32(backoff.jitterMs);
  }
  u64(completedRetentionMs);
  u64(deadRetentionMs);
  if (job.status === "completed") u64(job.completedAt);
  if (job.status === "completed" || job.status === "dead") u64(job.purgeAt);
}

export interface Fields {
  /** Where they end. */
  readonly end: number;
  readonly dequeuedAt: Instant | undefined;
  readonly failedAt: Instant | undefined;
  readonly lost: number;
  readonly options: JobOptions;
  readonly completedAt: Instant | undefined;
  readonly purgeAt: U64 | undefined;
}

const noOptions: JobOptions = {};
const noFields: Fields = {
  end: 0,
  dequeuedAt: undefined,
  failedAt: undefined,
  lost: 0,
  options: noOptions,
  completedAt: undefined,
  purgeAt: undefined,
};

export function readFields(record: Buffer, start: number, present: number): Fields {
  if (!hasFields(present)) return { ...noFields, end: start };
  let at = start;
  const u64 = (flag: number): U64 | undefined => {
    if ((present & flag) === 0) return undefined;
    at += 8;
    return getU64(record, at - 8);
  };
  const u32 = (flag: number): number | undefined => {
    if ((present & flag) === 0) return undefined;
    at += 4;
    return getU32(record, at - 4);
  };
  const dequeuedAt = asInstant(u64(flags.dequeuedAt));
  const failedAt = asInstant(u64(flags.failedAt));
  const lost = u32(flags.lost) ?? 0;
  const retryLimit = u32(flags.retryLimit);
  const exponent = (present & flags.backoff) === 0 ? undefined : record.readFloatLE(at);
  if (exponent !== undefined) at += 4;
  const baseMs = u32(flags.backoff) ?? 0;
  const jitterMs = u32(flags.backoff) ?? 0;
  const completedRetentionMs = u64(flags.completedRetention);
  const deadRetentionMs = u64(flags.deadRetention);
  const completedAt = asInstant(u64(flags.completedAt));
  const purgeAt = u64(flags.purgeAt);
  const options = {
    ...(retryLimit === undefined ? undefined : { retryLimit }),
    ...(exponent === undefined ? undefined : { backoff: { exponent, baseMs, jitterMs } }),
    ...(completedRetentionMs === undefined ? undefined : { completedRetentionMs }),
    ...(deadRetentionMs === undefined ? undefined : { deadRetentionMs }),
  };
  return { end: at, dequeuedAt, failedAt, lost, options, completedAt, purgeAt };
}

function asInstant(value: U64 | undefined): Instant | undefined {
  return value === undefined ? undefined : instant(Number(value));
}
