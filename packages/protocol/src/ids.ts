import type { Brand } from "./brand.ts";

/** A job's id: SCRU128, 25 characters of `[0-9a-z]`, fixed width, so bytewise order is order of creation. */
export type JobId = Brand<string, "JobId">;
/** A queue's name that keeps the name rule. */
export type QueueName = Brand<string, "QueueName">;
/** A job type's name that keeps the name rule. */
export type TypeName = Brand<string, "TypeName">;
/** Milliseconds since the Unix epoch, UTC; an integer. */
export type Instant = Brand<number, "Instant">;
/** What one handing-over of a job is named by: at most 64 characters of `[A-Za-z0-9_-]`; see `delivery` in docs/wire.md. */
export type DeliveryToken = Brand<string, "DeliveryToken">;
/** An unsigned 64-bit integer: a number up to 2^53 - 1, a bigint above, so that every value has exactly one form. */
export type U64 = number | bigint;

export const U64_MAX = 2n ** 64n - 1n;

/** The one form of a 64-bit integer, see {@link U64}. */
export function u64(value: number | bigint): U64 {
  return typeof value === "bigint" && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

/** A {@link U64} as a double, clamped to 2^53 - 1: for comparisons in memory, never for the wire. */
export function clampU64(value: U64): number {
  return typeof value === "bigint" ? Number.MAX_SAFE_INTEGER : value;
}

/** Milliseconds as an {@link Instant}. */
export function instant(ms: number): Instant {
  return ms as Instant;
}

const JOB_ID_FORM = /^[0-9a-z]{25}$/;

/** A job id, or undefined when the text cannot be one (wrong length or characters). Existence is another matter. */
export function parseJobId(text: string): JobId | undefined {
  return JOB_ID_FORM.test(text) ? (text as JobId) : undefined;
}

// A name must not hold a NUL: it ends names inside keys.
const NAME_FORBIDDEN = /[,\0*?[\]{}\\]/;

/** Whether a text may name a queue, a type, a cron group or entry, a budget: not empty, none of `, NUL * ? [ ] { } \`. */
export function isName(text: string): boolean {
  return text.length > 0 && !NAME_FORBIDDEN.test(text);
}

/** A queue name, or undefined when it breaks the name rule. */
export function parseQueueName(text: string): QueueName | undefined {
  return isName(text) ? (text as QueueName) : undefined;
}

/** A type name, or undefined when it breaks the name rule. */
export function parseTypeName(text: string): TypeName | undefined {
  return isName(text) ? (text as TypeName) : undefined;
}
