/**
 * One failed attempt as bytes, and which attempts of a job have a record.
 *
 *   u8 version, u8 flags (1 = error type, 2 = backtrace), u16 0, u64 dequeued_at, u64 failed_at,
 *   u32 length and message, then each text that its flag names likewise, checksum
 *
 * The attempt is in the key. A job keeps its first 500 and its last 500 errors; as only the newest is ever added, which ones
 * there are follows from the number of attempts, and neither adding nor deleting needs a scan.
 */
import { instant } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import type { ErrorRecord } from "../job/job.ts";
import { CRC_BYTES, isIntact, seal } from "./checksum.ts";
import { getU16, getU32, getU64, putU16, putU32, putU64 } from "./integer-bytes.ts";
import type { Unreadable } from "./job-record.ts";

const VERSION = 1;
const FIXED_BYTES = 20;
const flags = { errorType: 1, backtrace: 2 } as const;
const flagsKnown = flags.errorType | flags.backtrace;

const keptAtEachEnd = limits.errorRecordsMax / 2;
invariant(Number.isInteger(keptAtEachEnd), "the kept errors of a job must split into two equal ends");

export function encodeError(error: ErrorRecord, key: Uint8Array): Buffer {
  const texts = [error.message, error.errorType, error.backtrace].flatMap((text) =>
    text === undefined ? [] : [Buffer.from(text)],
  );
  const length = texts.reduce((sum, text) => sum + 4 + text.length, FIXED_BYTES + CRC_BYTES);
  const record = Buffer.allocUnsafe(length);
  record[0] = VERSION;
  record[1] =
    (error.errorType === undefined ? 0 : flags.errorType) | (error.backtrace === undefined ? 0 : flags.backtrace);
  putU16(record, 2, 0);
  putU64(record, 4, error.dequeuedAt);
  putU64(record, 12, error.failedAt);
  let at = FIXED_BYTES;
  for (const text of texts) {
    putU32(record, at, text.length);
    record.set(text, at + 4);
    at += 4 + text.length;
  }
  return seal(record, key);
}

export function decodeError(record: Buffer, key: Uint8Array, attempt: number): ErrorRecord | Unreadable {
  if (record.length < FIXED_BYTES + 4 + CRC_BYTES || !isIntact(record, key)) return "damaged";
  const present = record[1] ?? 0;
  if (record[0] !== VERSION || (present & ~flagsKnown) !== 0 || getU16(record, 2) !== 0) return "newer";
  let at = FIXED_BYTES;
  const text = () => {
    const start = at + 4;
    at = start + getU32(record, at);
    return record.toString("utf8", start, at);
  };
  const message = text();
  return {
    attempt,
    message,
    ...((present & flags.errorType) === 0 ? undefined : { errorType: text() }),
    ...((present & flags.backtrace) === 0 ? undefined : { backtrace: text() }),
    dequeuedAt: instant(Number(getU64(record, 4))),
    failedAt: instant(Number(getU64(record, 12))),
  };
}

/** The attempt whose record goes when the record of `attempt` comes; undefined while there is room. */
export function attemptDroppedBy(attempt: number): number | undefined {
  return attempt > limits.errorRecordsMax ? attempt - keptAtEachEnd : undefined;
}

/** The attempts that have a record, of a job that failed so many times. */
export function* attemptsKept(attempts: number): Generator<number, void, undefined> {
  for (let attempt = 1; attempt <= Math.min(attempts, keptAtEachEnd); attempt += 1) yield attempt;
  const tail = Math.max(keptAtEachEnd, attempts - keptAtEachEnd) + 1;
  for (let attempt = tail; attempt <= attempts; attempt += 1) yield attempt;
}
