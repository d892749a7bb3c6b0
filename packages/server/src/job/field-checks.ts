/**
 * Checks of single fields, the same for both formats. What is wrong is refused with INVALID_FIELD and the path of the field;
 * null counts as absent.
 */
import { type ErrorCode, QueueError } from "@millrace/protocol/errors";
import { type U64, U64_MAX } from "@millrace/protocol/ids";

export const U16_MAX = 2 ** 16 - 1;
export const U32_MAX = 2 ** 32 - 1;

/** Position of a member in a bulk request, from 0; undefined outside of one. */
export type Where = number | undefined;

/** Refuses a field: by its path in the text (`jobs[3].priority`), for programs also by `index`. */
export function refuse(code: ErrorCode, where: Where, path: string, rule: string): never {
  const place = where === undefined ? [path] : [`jobs[${where}]`, path];
  const name = place.filter((part) => part !== "").join(".");
  const details = where === undefined ? {} : { details: { index: where } };
  throw new QueueError(code, `${name === "" ? "the body" : name} ${rule}`, details);
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** A required text. */
export function requiredText(value: unknown, where: Where, path: string): string {
  return optionalText(value, where, path) ?? refuse("INVALID_FIELD", where, path, "is required");
}

/** An optional text. */
export function optionalText(value: unknown, where: Where, path: string): string | undefined {
  if (typeof value === "string") return value;
  return isAbsent(value) ? undefined : refuse("INVALID_FIELD", where, path, "must be a string");
}

/** An optional unsigned integer up to `max`, which is at most 2^53 - 1. */
export function optionalInteger(value: unknown, max: number, where: Where, path: string): number | undefined {
  if (isAbsent(value)) return undefined;
  return isInteger(value, max)
    ? value + 0
    : refuse("INVALID_FIELD", where, path, `must be an integer from 0 to ${max}`);
}

/** An optional unsigned integer of 64 bits. */
export function optionalU64(value: unknown, where: Where, path: string): U64 | undefined {
  if (isAbsent(value)) return undefined;
  if (isInteger(value, Number.MAX_SAFE_INTEGER)) return value + 0;
  if (typeof value === "bigint" && value > 0n && value <= U64_MAX) return value;
  return refuse("INVALID_FIELD", where, path, `must be an integer from 0 to ${U64_MAX}`);
}

/** An optional object. */
export function optionalObject(
  value: unknown,
  where: Where,
  path: string,
): Readonly<Record<string, unknown>> | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) refuse("INVALID_FIELD", where, path, "must be an object");
  return { ...value };
}

/** A whole number written as a float (`5.0`) is one, and so is minus zero, which `+ 0` makes plain zero. */
function isInteger(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= max;
}
