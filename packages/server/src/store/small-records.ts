/**
 * The records beside a job's own: claim, payload apart, purge mark, count, format version, writer epoch. Each begins with its
 * version, 1, and ends in a checksum; integers are little-endian; bits that are 0 are kept for later and must be 0.
 * A reader answers `Unreadable` in place of a record that must not be used.
 *
 *   claim    u8 version, u8 state, u16 0, u32 lost, u64 dequeued_at, u8 length and the delivery token
 *   payload  u8 version, u8 format, bytes
 *   purge    u8 version, u8 status, u16 flags (1 = the payload stands apart), u32 attempts, queue, type
 *   count    u8 version, 3 × 0, u64 number
 *   format   u8 version of this record, 3 × 0, u32 format version of the store
 *   epoch    u8 version, 3 × 0, u64 writer epoch
 *   mark     u8 version, 3 × 0, text: `clean`, or the boot in which a life began
 */
import type { DeliveryToken, Instant } from "@millrace/protocol/ids";
import { instant } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import type { Payload } from "../job/job.ts";
import { CRC_BYTES, isIntact, seal } from "./checksum.ts";
import { getU16, getU32, getU64, putU16, putU32, putU64 } from "./integer-bytes.ts";
import type { Unreadable } from "./job-record.ts";
import type { FinishedStatus } from "./keyspace.ts";
import { nameBytes, nameEnd, readName } from "./name-bytes.ts";

const VERSION = 1;
const MARK_FIXED_BYTES = 4;

/** What outlives a hand-over of a job: who has it, or had it last. */
export interface Claim {
  /** False: given back; the rest must outlive that. */
  readonly held: boolean;
  readonly dequeuedAt: Instant;
  readonly lost: number;
  /** Of the current hand-over; undefined once it was given back. */
  readonly delivery: DeliveryToken | undefined;
}

const CLAIM_FIXED_BYTES = 17;
const claimStates = { held: 1, givenBack: 2 } as const;

export function encodeClaim(claim: Claim, key: Uint8Array): Buffer {
  const token: string = claim.delivery ?? "";
  const record = Buffer.allocUnsafe(CLAIM_FIXED_BYTES + token.length + CRC_BYTES);
  record[0] = VERSION;
  record[1] = claim.held ? claimStates.held : claimStates.givenBack;
  putU16(record, 2, 0);
  putU32(record, 4, claim.lost);
  putU64(record, 8, claim.dequeuedAt);
  record[16] = token.length;
  for (let i = 0; i < token.length; i += 1) record[CLAIM_FIXED_BYTES + i] = token.charCodeAt(i);
  return seal(record, key);
}

export function decodeClaim(record: Buffer, key: Uint8Array): Claim | Unreadable {
  if (record.length < CLAIM_FIXED_BYTES + CRC_BYTES || !isIntact(record, key)) return "damaged";
  const state = record[1];
  const isKnown = state === claimStates.held || state === claimStates.givenBack;
  if (record[0] !== VERSION || !isKnown || getU16(record, 2) !== 0) return "newer";
  const token = record.toString("latin1", CLAIM_FIXED_BYTES, CLAIM_FIXED_BYTES + (record[16] ?? 0));
  return {
    held: state === claimStates.held,
    dequeuedAt: instant(Number(getU64(record, 8))),
    lost: getU32(record, 4),
    delivery: token === "" ? undefined : (token as DeliveryToken),
  };
}

const formats = ["json", "msgpack"] as const;

/** A payload that stands apart. */
export function encodePayload(payload: Payload, key: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(2 + payload.bytes.length + CRC_BYTES);
  record[0] = VERSION;
  record[1] = formats.indexOf(payload.format);
  record.set(payload.bytes, 2);
  return seal(record, key);
}

/** The payload's bytes are a view of the record. */
export function decodePayload(record: Buffer, key: Uint8Array): Payload | Unreadable {
  if (record.length < 2 + CRC_BYTES || !isIntact(record, key)) return "damaged";
  const format = formats[record[1] ?? -1];
  if (record[0] !== VERSION || format === undefined) return "newer";
  return { format, bytes: record.subarray(2, record.length - CRC_BYTES) };
}

/** What must be known of a finished job to delete it without reading its record. */
export interface PurgeMark {
  readonly status: FinishedStatus;
  readonly queue: string;
  readonly type: string;
  readonly attempts: number;
  /** Whether its payload stands apart. */
  readonly apart: boolean;
}

const PURGE_FIXED_BYTES = 8;
const finishedStatuses = ["completed", "dead"] as const;
const purgeApart = 1;

export function encodePurgeMark(mark: PurgeMark, key: Uint8Array): Buffer {
  const queue = nameBytes(mark.queue);
  const type = nameBytes(mark.type);
  const record = Buffer.allocUnsafe(PURGE_FIXED_BYTES + queue.length + type.length + CRC_BYTES);
  record[0] = VERSION;
  record[1] = finishedStatuses.indexOf(mark.status);
  putU16(record, 2, mark.apart ? purgeApart : 0);
  putU32(record, 4, mark.attempts);
  record.set(queue, PURGE_FIXED_BYTES);
  record.set(type, PURGE_FIXED_BYTES + queue.length);
  return seal(record, key);
}

export function decodePurgeMark(record: Buffer, key: Uint8Array): PurgeMark | Unreadable {
  if (record.length < PURGE_FIXED_BYTES + CRC_BYTES || !isIntact(record, key)) return "damaged";
  const status = finishedStatuses[record[1] ?? -1];
  const present = getU16(record, 2);
  if (record[0] !== VERSION || status === undefined || (present & ~purgeApart) !== 0) return "newer";
  const queueEnd = nameEnd(record, PURGE_FIXED_BYTES);
  return {
    status,
    queue: readName(record, PURGE_FIXED_BYTES, queueEnd),
    type: readName(record, queueEnd, nameEnd(record, queueEnd)),
    attempts: getU32(record, 4),
    apart: (present & purgeApart) !== 0,
  };
}

/** A number alone: of finished jobs, or the writer epoch. @param value an integer from 0 to 2^53 - 1 */
export function encodeNumber(value: number, key: Uint8Array): Buffer {
  const record = Buffer.alloc(12 + CRC_BYTES);
  record[0] = VERSION;
  putU64(record, 4, value);
  return seal(record, key);
}

export function decodeNumber(record: Buffer, key: Uint8Array): number | Unreadable {
  if (record.length !== 12 + CRC_BYTES || !isIntact(record, key)) return "damaged";
  if (record[0] !== VERSION) return "newer";
  const value = getU64(record, 4);
  invariant(typeof value === "number", "a number was stored beyond 2^53 - 1");
  return value;
}

/** The format version of the whole store. Every build must be able to read this one, so it has no version to refuse. */
export function encodeFormat(version: number, key: Uint8Array): Buffer {
  const record = Buffer.alloc(8 + CRC_BYTES);
  record[0] = VERSION;
  putU32(record, 4, version);
  return seal(record, key);
}

export function decodeFormat(record: Buffer, key: Uint8Array): number | "damaged" {
  return record.length >= 8 + CRC_BYTES && isIntact(record, key) ? getU32(record, 4) : "damaged";
}

/** How the last life of a store ended, or in which boot of the machine it began. */
export function encodeMark(text: string, key: Uint8Array): Buffer {
  const bytes = Buffer.from(text);
  const record = Buffer.alloc(MARK_FIXED_BYTES + bytes.length + CRC_BYTES);
  record[0] = VERSION;
  record.set(bytes, MARK_FIXED_BYTES);
  return seal(record, key);
}

export function decodeMark(record: Buffer, key: Uint8Array): { readonly text: string } | Unreadable {
  if (record.length < MARK_FIXED_BYTES + CRC_BYTES || !isIntact(record, key)) return "damaged";
  if (record[0] !== VERSION) return "newer";
  return { text: record.toString("utf8", MARK_FIXED_BYTES, record.length - CRC_BYTES) };
}
