/**
 * The spelling of keys: one byte of tag, then parts that sort. Only this folder knows it.
 *
 *   tag             key                                         value                              written
 *   L  live         L id                                        job record, payload in it          enqueue, retry, patch, fold
 *   P  payload      P id                                        a payload above 1 KiB              enqueue, fold
 *   C  claim        C id                                        held or given back, delivery       take, requeue; deleted by settle
 *   E  error        E id be32(attempt)                          one failed attempt                 failure
 *   F  finished     F id                                        job record, payload in it          completion, death
 *   S  by status    S status id                                 nothing                            with F
 *   Q  by queue     Q queue 0 id                                nothing                            with F
 *   T  by type      T type 0 id                                 nothing                            with F
 *   A  purge        A be64(purge_at) id                         status, queue, type, …             with F
 *   N  counts       N status queue 0 type                       number of finished jobs            with F, and when they go
 *   U  lock         U kind key                                  owner                              unique and batched jobs
 *   I  idempotency  I scope 0 key                               reply                              with the jobs
 *   G  log line     G id be32(seq)                              line                               a worker's log
 *   K  config       K kind name                                 budgets, queues, crons             admin, schedules
 *   X  tick         X schedule 0 be64(due) be32(generation) …   decision                           schedules
 *   M  meta         M name                                      format version, writer epoch, mark start
 *
 * U, I, G, K and X are reserved: nothing writes them yet. Ids are 16 bytes, big-endian, so keys sort as ids do; numbers have a
 * fixed width; a name that another part follows ends in a 0 byte, which no name holds; strings that may hold anything stand
 * last, beyond 255 bytes as their SHA-256.
 * Finished jobs alone have index keys (S Q T A): live ones are indexed in memory.
 */
import type { Instant, JobId, U64 } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import { idFromBytes, idToBytes } from "../base/id-bytes.ts";
import type { KvRange } from "../kv/kv.ts";
import { getU64Be, putU32Be, putU64Be } from "./integer-bytes.ts";

export const tags = {
  live: 0x4c,
  payload: 0x50,
  claim: 0x43,
  error: 0x45,
  finished: 0x46,
  byStatus: 0x53,
  byQueue: 0x51,
  byType: 0x54,
  purge: 0x41,
  count: 0x4e,
  lock: 0x55,
  idempotency: 0x49,
  log: 0x47,
  config: 0x4b,
  tick: 0x58,
  meta: 0x4d,
} as const;

/** Keys that are a tag and an id. */
type IdTag = (typeof tags)["live" | "payload" | "claim" | "error" | "finished"];
type NameTag = (typeof tags)["byQueue" | "byType"];
export type FinishedStatus = "completed" | "dead";

export const ID_BYTES = 16;
const statusBytes = { completed: 0x63, dead: 0x64 } as const;

export function idKey(tag: IdTag, id: JobId): Buffer {
  const key = Buffer.allocUnsafe(1 + ID_BYTES);
  key[0] = tag;
  idToBytes(id, key, 1);
  return key;
}

/** {@link idKey} of another tag, without spelling the id again. */
export function siblingKey(tag: IdTag, key: Uint8Array): Buffer {
  const sibling = Buffer.allocUnsafe(1 + ID_BYTES);
  sibling.set(key);
  sibling[0] = tag;
  return sibling;
}

/** @param attempt from 1 */
export function errorKey(id: JobId, attempt: number): Buffer {
  const key = Buffer.allocUnsafe(1 + ID_BYTES + 4);
  key[0] = tags.error;
  idToBytes(id, key, 1);
  putU32Be(key, 1 + ID_BYTES, attempt);
  return key;
}

/** The attempt at the end of an {@link errorKey}. */
export function attemptOf(key: Buffer): number {
  return key.readUInt32BE(1 + ID_BYTES);
}

/** What all index keys of one status begin with. */
export function statusPrefix(status: FinishedStatus): Buffer {
  return Buffer.from([tags.byStatus, statusBytes[status]]);
}

/** What all index keys of one queue or type begin with. */
export function namePrefix(tag: NameTag, name: string): Buffer {
  const length = Buffer.byteLength(name);
  const prefix = Buffer.allocUnsafe(1 + length + 1);
  prefix[0] = tag;
  prefix.write(name, 1);
  prefix[1 + length] = 0;
  return prefix;
}

export function tagPrefix(tag: (typeof tags)[keyof typeof tags]): Buffer {
  return Buffer.from([tag]);
}

/** A prefix and an id. */
export function withId(prefix: Uint8Array, id: JobId): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + ID_BYTES);
  key.set(prefix);
  idToBytes(id, key, prefix.length);
  return key;
}

/** The id that every key ends in which names one job and nothing after it. */
export function idAtEnd(key: Buffer): JobId {
  return idFromBytes(key, key.length - ID_BYTES);
}

/** The id after the tag. */
export function idAfterTag(key: Buffer): JobId {
  return idFromBytes(key, 1);
}

export function purgeKey(purgeAt: U64, id: JobId): Buffer {
  const key = Buffer.allocUnsafe(1 + 8 + ID_BYTES);
  key[0] = tags.purge;
  putU64Be(key, 1, purgeAt);
  idToBytes(id, key, 9);
  return key;
}

/** The time in a {@link purgeKey}. */
export function purgeAtOf(key: Buffer): U64 {
  return getU64Be(key, 1);
}

/** All purge keys up to an instant, inclusive; beginning behind a given one. */
export function purgeRange(upTo: Instant, after?: { readonly purgeAt: U64; readonly id: JobId }): KvRange {
  const end = Buffer.allocUnsafe(1 + 8);
  end[0] = tags.purge;
  putU64Be(end, 1, upTo + 1);
  return { gte: after === undefined ? tagPrefix(tags.purge) : behind(purgeKey(after.purgeAt, after.id)), lt: end };
}

export function countKey(status: FinishedStatus, queue: string, type: string): Buffer {
  const queueBytes = Buffer.from(queue);
  return Buffer.concat([
    Buffer.from([tags.count, statusBytes[status]]),
    queueBytes,
    Buffer.from([0]),
    Buffer.from(type),
  ]);
}

/** The parts of a {@link countKey}; undefined when it is none of ours. */
export function readCountKey(key: Buffer): { status: FinishedStatus; queue: string; type: string } | undefined {
  const status = statusOfByte(key[1]);
  const end = key.indexOf(0, 2);
  if (status === undefined || end < 0) return undefined;
  return { status, queue: key.toString("utf8", 2, end), type: key.toString("utf8", end + 1) };
}

export function metaKey(name: "format" | "epoch" | "mark"): Buffer {
  return Buffer.from(`M${name}`);
}

/** Every key that begins with a prefix. */
export function rangeOf(prefix: Uint8Array): KvRange {
  return { gte: prefix, lt: endOf(prefix) };
}

/** The first key behind all that begin with a prefix. */
export function endOf(prefix: Uint8Array): Buffer {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i -= 1) {
    const byte = end[i];
    if (byte === 0xff) continue;
    end[i] = (byte ?? 0) + 1;
    return end.subarray(0, i + 1);
  }
  invariant(false, "no key follows a prefix of 255s alone; tags are letters");
}

/** The first key behind one key. */
export function behind(key: Uint8Array): Buffer {
  const next = Buffer.allocUnsafe(key.length + 1);
  next.set(key);
  next[key.length] = 0;
  return next;
}

function statusOfByte(byte: number | undefined): FinishedStatus | undefined {
  if (byte === statusBytes.completed) return "completed";
  return byte === statusBytes.dead ? "dead" : undefined;
}
