import { QueueError } from "@millrace/protocol/errors";
import { type U64, U64_MAX, u64 } from "@millrace/protocol/ids";
import type { Range } from "../job/job-filter.ts";
import { isDigits } from "./query.ts";

export const U16_MAX = 2 ** 16 - 1;
export const U32_MAX = 2 ** 32 - 1;

/**
 * `N`, `A..B`, `..B`, `A..` or `..`, inclusive at both ends; undefined when absent or empty.
 * INVALID_QUERY: anything else, A > B, an end above `max`.
 */
export function parseRange(name: string, text: string | undefined, max: number): Range<number> | undefined {
  const range = parseRangeU64(name, text, BigInt(max));
  return range && { min: Number(range.min), max: Number(range.max) };
}

/** The same for the whole range of 64-bit integers, exactly. */
export function parseRangeU64(name: string, text: string | undefined, max = U64_MAX): Range<U64> | undefined {
  if (text === undefined || text === "") return undefined;
  const dots = text.indexOf("..");
  const low = dots === -1 ? text : text.slice(0, dots);
  const high = dots === -1 ? text : text.slice(dots + 2);
  const range = {
    min: low === "" ? 0n : parseEnd(name, low, max),
    max: high === "" ? max : parseEnd(name, high, max),
  };
  if (range.min > range.max) throw new QueueError("INVALID_QUERY", `${name}: the range ${text} is empty`);
  return { min: u64(range.min), max: u64(range.max) };
}

/** A range as page links show it; `max` is the type's maximum. */
export function printRange(range: Range<U64>, max: U64): string {
  if (range.min === range.max) return String(range.min);
  if (range.min === 0) return `..${range.max}`;
  return range.max === max ? `${range.min}..` : `${range.min}..${range.max}`;
}

/** Longer than any number that could be allowed: keeps a hostile one from becoming a huge integer first. */
const DIGITS_MAX = 40;

function parseEnd(name: string, text: string, max: bigint): bigint {
  if (text.length <= DIGITS_MAX && isDigits(text)) {
    const value = BigInt(text);
    if (value <= max) return value;
  }
  throw new QueueError("INVALID_QUERY", `${name} must be N, A..B, ..B or A.. with integers from 0 to ${max}`);
}
