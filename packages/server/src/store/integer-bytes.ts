/** Integers of fixed width: little-endian inside records, big-endian (`…Be`) inside keys, where they must sort. */
import type { U64 } from "@millrace/protocol/ids";

const U32_SPAN = 2 ** 32;
/** High words from here on make numbers beyond 2^53 - 1, which only a bigint holds exactly. */
const HIGH_EXACT_END = 2 ** 21;

// Plain byte stores and loads: the engine compiles them into a few instructions, which it does not for calls into Buffer.

export function putU16(into: Uint8Array, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >>> 8;
}

export function putU32(into: Uint8Array, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >>> 8;
  into[at + 2] = value >>> 16;
  into[at + 3] = value >>> 24;
}

export function putU32Be(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}

export function putU64(into: Uint8Array, at: number, value: U64): void {
  putU32(into, at, lowWord(value));
  putU32(into, at + 4, highWord(value));
}

export function putU64Be(into: Uint8Array, at: number, value: U64): void {
  putU32Be(into, at, highWord(value));
  putU32Be(into, at + 4, lowWord(value));
}

export function getU16(from: Uint8Array, at: number): number {
  return byte(from, at) | (byte(from, at + 1) << 8);
}

export function getU32(from: Uint8Array, at: number): number {
  return (getU16(from, at) | (getU16(from, at + 2) << 16)) >>> 0;
}

export function getU64(from: Uint8Array, at: number): U64 {
  return joined(getU32(from, at + 4), getU32(from, at));
}

export function getU64Be(from: Buffer, at: number): U64 {
  return joined(from.readUInt32BE(at), from.readUInt32BE(at + 4));
}

function byte(from: Uint8Array, at: number): number {
  return from[at] ?? 0;
}

function lowWord(value: U64): number {
  return typeof value === "number" ? value >>> 0 : Number(value & 0xffff_ffffn);
}

function highWord(value: U64): number {
  return typeof value === "number" ? (value - (value >>> 0)) / U32_SPAN : Number(value >> 32n);
}

function joined(high: number, low: number): U64 {
  if (high < HIGH_EXACT_END) return high * U32_SPAN + low;
  return (BigInt(high) << 32n) | BigInt(low);
}
