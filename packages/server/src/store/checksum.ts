/**
 * The guard against silent damage: LevelDB hands out a value with a flipped bit as if nothing had happened. Every value that
 * is not empty ends in a CRC32 over itself, begun from a digest of its key, so that a record found under another key (a flipped
 * bit there) is as unreadable as a changed one.
 */
import { crc32 } from "node:zlib";
import { putU32 } from "./integer-bytes.ts";

export const CRC_BYTES = 4;

/** What a CRC32 over any bytes and their own CRC32 comes to: so a check needs no view of the record without its end. */
const RESIDUE = 0x2144df1c;

/** Writes the checksum into the last four bytes of a record that is complete but for them. */
export function seal(record: Buffer, key: Uint8Array): Buffer {
  const end = record.length - CRC_BYTES;
  putU32(record, end, crc32(record.subarray(0, end), digestOf(key)));
  return record;
}

/** Whether a record is, bit by bit, what was sealed under this key. */
export function isIntact(record: Buffer, key: Uint8Array): boolean {
  return record.length >= CRC_BYTES && crc32(record, digestOf(key)) === RESIDUE;
}

/** Different for any two keys that differ in one byte; far cheaper than a second checksum. */
function digestOf(key: Uint8Array): number {
  let digest = 0;
  for (let i = 0; i < key.length; i += 1) digest = (Math.imul(digest, 31) + (key[i] ?? 0)) | 0;
  return digest >>> 0;
}
