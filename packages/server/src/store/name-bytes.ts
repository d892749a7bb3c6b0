/**
 * Names inside records: a length, then UTF-8. A server meets few names and millions of jobs, so both directions remember:
 * writing copies bytes that are known, reading hands out one string for all records that hold the same name.
 * Lengths take 7 bits a byte, least significant first; the high bit says that another follows.
 */

/** A name as it stands in a record, its length included. */
export function nameBytes(name: string): Uint8Array {
  const known = written.get(name);
  if (known !== undefined) return known;
  const bytes = encode(name);
  if (bytes.length <= rememberedBytesMax) {
    if (written.size >= writtenMax) written.clear();
    written.set(name, bytes);
  }
  return bytes;
}

/** Where the name that begins here ends. */
export function nameEnd(record: Buffer, at: number): number {
  let length = 0;
  let shift = 0;
  let cursor = at;
  for (;;) {
    const byte = record[cursor] ?? 0;
    cursor += 1;
    length += (byte & 0x7f) << shift;
    if (byte < 0x80) return cursor + length;
    shift += 7;
  }
}

/** The name that stands here. */
export function readName(record: Buffer, at: number, end: number): string {
  let digest = 0;
  for (let i = at; i < end; i += 1) digest = (Math.imul(digest, 31) + (record[i] ?? 0)) | 0;
  const place = digest & (readMax - 1);
  const known = read[place];
  if (known !== undefined && isSame(known.bytes, record, at, end)) return known.name;
  const name = record.toString("utf8", at + lengthBytes(record, at), end);
  if (end - at <= rememberedBytesMax) read[place] = { bytes: Uint8Array.prototype.slice.call(record, at, end), name };
  return name;
}

const rememberedBytesMax = 256;
const writtenMax = 4096;
/** A power of two. */
const readMax = 1024;
const written = new Map<string, Uint8Array>();
const read: ({ readonly bytes: Uint8Array; readonly name: string } | undefined)[] = new Array(readMax).fill(undefined);

function encode(name: string): Uint8Array {
  const text = Buffer.from(name);
  const length: number[] = [];
  let rest = text.length;
  for (; rest >= 0x80; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  length.push(rest);
  return Uint8Array.from([...length, ...text]);
}

function lengthBytes(record: Buffer, at: number): number {
  let cursor = at;
  while ((record[cursor] ?? 0) >= 0x80) cursor += 1;
  return cursor + 1 - at;
}

function isSame(bytes: Uint8Array, record: Buffer, at: number, end: number): boolean {
  if (bytes.length !== end - at) return false;
  for (let i = 0; i < bytes.length; i += 1) if (bytes[i] !== record[at + i]) return false;
  return true;
}
