/**
 * Checks of single fields, the same for both formats. A field that is wrong is refused with INVALID_FIELD and its path; null
 * counts as absent. `where` is the position in a bulk request, undefined outside of one.
 */
import { QueueError } from "@millrace/protocol/errors";
import { U64_MAX, type U64 } from "@millrace/protocol/ids";

export const U16_MAX = 2 ** 16 - 1;
export const U32_MAX = 2 ** 32 - 1;

/** Position of a member in a bulk request, from 0. */
export type Where = number | undefined;

/** A refusal that names the member of a bulk request in its text and, for programs, as `index`. */
export function refuseField(where: Where, path: string, rule: string): never {
  throw new QueueError("INVALID_FIELD", `${fieldPath(where, path)} ${rule}`, detailsOf(where));
}

/** The path of a field as errors show it: `jobs[3].priority`, or just `priority`. */
export function fieldPath(where: Where, path: string): string {
  if (where === undefined) return path === "" ? "the body" : path;
  return path === "" ? `jobs[${where}]` : `jobs[${where}].${path}`;
}

/** The details of an error about a member of a bulk request. */
export function detailsOf(where: Where): { details?: { index: number } } {
  return where === undefined ? {} : { details: { index: where } };
}

/** A required text. */
export function requiredText(value: unknown, where: Where, path: string): string {
  if (typeof value === "string") return value;
  return refuseField(where, path, value === undefined || value === null ? "is required" : "must be a string");
}

/** An optional text. */
export function optionalText(value: unknown, where: Where, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : refuseField(where, path, "must be a string");
}

/** An optional unsigned integer up to `max`, at most 2^53 - 1. */
export function optionalInteger(value: unknown, max: number, where: Where, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  return Number.isSafeInteger(value) && isWithin(value, max)
    ? value + 0
    : refuseField(where, path, `must be an integer from 0 to ${max}`);
}

/** An optional u64. */
export function optionalU64(value: unknown, where: Where, path: string): U64 | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "bigint" && value > 0n && value <= U64_MAX) return value;
  return optionalInteger(value, Number.MAX_SAFE_INTEGER, where, path);
}
