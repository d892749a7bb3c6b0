import { isAbsent, optionalInteger, optionalObject, optionalU64, refuse, U32_MAX, type Where } from "./field-checks.ts";
import type { Backoff, JobOptions } from "./job.ts";

/** One object for the many jobs that fix nothing. */
const noOptions: JobOptions = Object.freeze({});

/** What a request may fix for its job, as sent. */
export interface SentOptions {
  readonly retryLimit: unknown;
  readonly backoff: unknown;
  readonly retention: unknown;
}

/** The options of a job from the fields `retry_limit`, `backoff` and `retention`. INVALID_FIELD. */
export function optionsOf(sent: SentOptions, where: Where): JobOptions {
  if (isAbsent(sent.retryLimit) && isAbsent(sent.backoff) && isAbsent(sent.retention)) return noOptions;
  const retryLimit = optionalInteger(sent.retryLimit, U32_MAX, where, "retry_limit");
  const backoff = backoffOf(optionalObject(sent.backoff, where, "backoff"), where);
  const retention = optionalObject(sent.retention, where, "retention");
  const completedRetentionMs = optionalU64(retention?.["completed_ms"], where, "retention.completed_ms");
  const deadRetentionMs = optionalU64(retention?.["dead_ms"], where, "retention.dead_ms");
  return {
    ...(retryLimit === undefined ? undefined : { retryLimit }),
    ...(backoff === undefined ? undefined : { backoff }),
    ...(completedRetentionMs === undefined ? undefined : { completedRetentionMs }),
    ...(deadRetentionMs === undefined ? undefined : { deadRetentionMs }),
  };
}

/** All three members are required: a job's backoff replaces the server's as a whole. */
function backoffOf(sent: Readonly<Record<string, unknown>> | undefined, where: Where): Backoff | undefined {
  if (sent === undefined) return undefined;
  return {
    exponent: exponentOf(sent["exponent"], where),
    baseMs: millisecondsOf(sent["base_ms"], where, "backoff.base_ms"),
    jitterMs: millisecondsOf(sent["jitter_ms"], where, "backoff.jitter_ms"),
  };
}

/** Single precision, as the wire defines it. */
function exponentOf(value: unknown, where: Where): number {
  const path = "backoff.exponent";
  if (isAbsent(value)) return refuse("INVALID_FIELD", where, path, "is required");
  const exponent = typeof value === "number" || typeof value === "bigint" ? Math.fround(Number(value)) : Number.NaN;
  if (Number.isFinite(exponent) && exponent >= 0) return exponent;
  return refuse("INVALID_FIELD", where, path, "must be a number from 0 that a 32-bit float can hold");
}

function millisecondsOf(value: unknown, where: Where, path: string): number {
  return optionalInteger(value, U32_MAX, where, path) ?? refuse("INVALID_FIELD", where, path, "is required");
}
