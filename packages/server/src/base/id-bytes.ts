/**
 * An id is a number of 128 bits in three spellings: text (25 digits of base 36), 16 bytes big-endian (keys of the store)
 * and four 32-bit words (memory). All three sort alike.
 *
 * Between text and words the number goes through limbs of 24 bits and chunks of five digits (36^5 < 2^26). A limb times a
 * chunk stays below 2^53, so doubles do long multiplication and division exactly, without bigints and their garbage:
 *
 *   words    |------w0------|------w1------|------w2------|------w3------|
 *   limbs    |-5-|----4----|----3----|----2----|----1----|----0----|
 */
import type { JobId } from "@millrace/protocol/ids";

const CHUNK_DIGITS = 5;
const CHUNK_COUNT = 5;
const CHUNK = 36 ** CHUNK_DIGITS;
const LIMB = 2 ** 24;
const LIMB_COUNT = 6;
const PAIR = 36 ** 2;
const ID_MAX = 2n ** 128n - 1n;

const digits = Uint8Array.from("0123456789abcdefghijklmnopqrstuvwxyz", (digit) => digit.charCodeAt(0));
const digitValues = new Uint8Array(128);
for (const [value, code] of digits.entries()) digitValues[code] = value;
/** The two digits of every number below 36^2: half the divisions. */
const firstOfPair = Uint8Array.from({ length: PAIR }, (_, pair) => digits[Math.floor(pair / 36)] ?? 0);
const lastOfPair = Uint8Array.from({ length: PAIR }, (_, pair) => digits[pair % 36] ?? 0);

// Reused by every call: nothing here waits, so no two calls are ever inside.
const limbs = new Float64Array(LIMB_COUNT);
const chunks = new Float64Array(CHUNK_COUNT);

/**
 * The id spelled last, in text and words. An id mostly goes through several spellings in a row (a new id is written under its
 * key at once, a row that is read names the records that change), and comparing is far cheaper than long division.
 */
let latest = "";
const latestWords = new Uint32Array(4);

function isLatest(w0: number, w1: number, w2: number, w3: number): boolean {
  return (
    latestWords[3] === w3 && latestWords[2] === w2 && latestWords[1] === w1 && latestWords[0] === w0 && latest !== ""
  );
}

/** The id that four words spell. */
export function idFromWords(w0: number, w1: number, w2: number, w3: number): JobId {
  if (isLatest(w0, w1, w2, w3)) return latest as JobId;
  limbs[0] = w3 & 0xffffff;
  limbs[1] = ((w2 & 0xffff) << 8) | (w3 >>> 24);
  limbs[2] = ((w1 & 0xff) << 16) | (w2 >>> 16);
  limbs[3] = w1 >>> 8;
  limbs[4] = w0 & 0xffffff;
  // Long division. The first limb may hold a whole chunk; with each division the number loses a limb at the top.
  let rest = w0 >>> 24;
  for (let chunk = CHUNK_COUNT - 1; chunk > 0; chunk -= 1) {
    for (let i = chunk; i >= 0; i -= 1) {
      const part = rest * LIMB + (limbs[i] ?? 0);
      const quotient = Math.floor(part / CHUNK);
      limbs[i] = quotient;
      rest = part - quotient * CHUNK;
    }
    chunks[chunk] = rest;
    rest = limbs[chunk] ?? 0;
  }
  chunks[0] = rest * LIMB + (limbs[0] ?? 0);
  const text = textOfChunks() as JobId;
  latest = text;
  latestWords[0] = w0;
  latestWords[1] = w1;
  latestWords[2] = w2;
  latestWords[3] = w3;
  return text;
}

/**
 * Writes the four words of an id at `offset`. A text of the right form that exceeds 128 bits becomes the largest number,
 * which no generator gives, so that it finds nothing.
 */
export function idToWords(id: JobId, into: Uint32Array, offset: number): void {
  if (id !== latest) spell(id);
  into[offset] = latestWords[0] ?? 0;
  into[offset + 1] = latestWords[1] ?? 0;
  into[offset + 2] = latestWords[2] ?? 0;
  into[offset + 3] = latestWords[3] ?? 0;
}

function spell(id: JobId): void {
  limbs[0] = 0;
  for (let chunk = 0; chunk < CHUNK_COUNT; chunk += 1) {
    // Long multiplication; with each chunk the number gains a limb at the top.
    let carry = chunkAt(id, chunk * CHUNK_DIGITS);
    for (let i = 0; i <= chunk; i += 1) {
      const part = (limbs[i] ?? 0) * CHUNK + carry;
      carry = Math.floor(part / LIMB);
      limbs[i] = part - carry * LIMB;
    }
    limbs[chunk + 1] = carry;
  }
  const isTooLarge = (limbs[5] ?? 0) > 0xff;
  if (isTooLarge) limbs.fill(LIMB - 1);
  const l1 = limbs[1] ?? 0;
  const l2 = limbs[2] ?? 0;
  latest = isTooLarge ? "" : id;
  latestWords[0] = ((limbs[5] ?? 0) << 24) | (limbs[4] ?? 0);
  latestWords[1] = ((limbs[3] ?? 0) << 8) | (l2 >>> 16);
  latestWords[2] = (l2 << 16) | (l1 >>> 8);
  latestWords[3] = (l1 << 24) | (limbs[0] ?? 0);
}

/** Writes the 16 bytes of an id at `offset`; see {@link idToWords} for texts beyond 128 bits. */
export function idToBytes(id: JobId, into: Uint8Array, offset: number): void {
  if (id !== latest) spell(id);
  for (let i = 0; i < 4; i += 1) {
    const word = latestWords[i] ?? 0;
    const at = offset + i * 4;
    into[at] = word >>> 24;
    into[at + 1] = word >>> 16;
    into[at + 2] = word >>> 8;
    into[at + 3] = word;
  }
}

/** The id that 16 bytes spell. */
export function idFromBytes(bytes: Uint8Array, offset: number): JobId {
  return idFromWords(
    wordAt(bytes, offset),
    wordAt(bytes, offset + 4),
    wordAt(bytes, offset + 8),
    wordAt(bytes, offset + 12),
  );
}

/** A place among all ids, for cursors. */
export interface IdBound {
  /** 16 bytes, an exclusive bound in the order asked for. */
  readonly bytes: Uint8Array;
  /** Whether the text is an id itself. */
  readonly exact: boolean;
}

/**
 * Where any text stands among ids when compared bytewise: walking on from `bytes`, exclusively, in the given order, meets
 * exactly the ids that sort beyond the text. For a text that is no id this is its neighbour on the near side. At the two
 * ends of all numbers there is no neighbour; there the end itself is meant, which no generator gives.
 */
export function boundOf(text: string, order: "asc" | "desc" = "asc"): IdBound {
  // The least number whose text is not below `text`; it grows digit by digit until the text stops to look like an id.
  let least = 0n;
  let place = 0;
  let exact = text.length === CHUNK_COUNT * CHUNK_DIGITS;
  while (place < CHUNK_COUNT * CHUNK_DIGITS && place < text.length) {
    const code = text.charCodeAt(place);
    const notBelow = digits.findIndex((digit) => digit >= code);
    least = least * 36n + BigInt(notBelow === -1 ? digits.length : notBelow);
    place += 1;
    if (notBelow !== -1 && digits[notBelow] === code) continue;
    exact = false;
    break;
  }
  const startsWithId = /^[0-9a-z]{25}./s.test(text);
  least = least * 36n ** BigInt(CHUNK_COUNT * CHUNK_DIGITS - place) + (startsWithId ? 1n : 0n);
  if (least > ID_MAX) exact = false;
  const bound = exact || order === "desc" ? least : least - 1n;
  return { bytes: bytesOf(bound < 0n ? 0n : bound > ID_MAX ? ID_MAX : bound), exact };
}

function bytesOf(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64BE(value >> 64n, 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value), 8);
  return bytes;
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  );
}

function chunkAt(text: string, start: number): number {
  let chunk = 0;
  for (let i = start; i < start + CHUNK_DIGITS; i += 1) chunk = chunk * 36 + (digitValues[text.charCodeAt(i)] ?? 0);
  return chunk;
}

/** One call for all 25 characters: faster than joining pieces or reading a buffer. A chunk is a digit and two pairs. */
function textOfChunks(): string {
  const a = chunks[0] ?? 0;
  const b = chunks[1] ?? 0;
  const c = chunks[2] ?? 0;
  const d = chunks[3] ?? 0;
  const e = chunks[4] ?? 0;
  // biome-ignore format: a chunk is a line.
  return String.fromCharCode(
    top(a), first(upper(a)), last(upper(a)), first(lower(a)), last(lower(a)),
    top(b), first(upper(b)), last(upper(b)), first(lower(b)), last(lower(b)),
    top(c), first(upper(c)), last(upper(c)), first(lower(c)), last(lower(c)),
    top(d), first(upper(d)), last(upper(d)), first(lower(d)), last(lower(d)),
    top(e), first(upper(e)), last(upper(e)), first(lower(e)), last(lower(e)),
  );
}

function top(chunk: number): number {
  return digits[(chunk / (PAIR * PAIR)) | 0] ?? 0;
}

function upper(chunk: number): number {
  return ((chunk / PAIR) | 0) % PAIR;
}

function lower(chunk: number): number {
  return (chunk | 0) % PAIR;
}

function first(pair: number): number {
  return firstOfPair[pair] ?? 0;
}

function last(pair: number): number {
  return lastOfPair[pair] ?? 0;
}
