import type { U64 } from "@millrace/protocol/ids";
import { u64 } from "@millrace/protocol/ids";
import type { Backoff, Failure, JobOptions } from "./job.ts";

/** What the server does for jobs that do not say it themselves. */
export interface RetryDefaults {
  /** Failures after which a job is still tried again; 25 = 26 runs in all. */
  readonly retryLimit: number;
  readonly backoff: Backoff;
}

/** What becomes of a failed attempt. */
export type Verdict =
  | { readonly kind: "retry"; readonly readyAt: U64 }
  | { readonly kind: "dead"; readonly reason: "killed" | "retries_exhausted" };

const U64_LIMIT = 2 ** 64;

/**
 * Milliseconds until the next try: `trunc(attempts^exponent * 1000 + base + chance * jitter * attempts)`, all in doubles
 * (http-api.md 13.4: the power term is in seconds).
 * @param attempts failures so far, this one included; from 1
 * @param chance uniform in [0, 1)
 * @returns an integer from 0 to what a double can hold; a result that is not finite is clamped to the largest u64
 */
export function retryDelayMs(backoff: Backoff, attempts: number, chance: number): number {
  const delay = Math.trunc(
    attempts ** Math.fround(backoff.exponent) * 1000 + backoff.baseMs + chance * backoff.jitterMs * attempts,
  );
  return delay < U64_LIMIT ? Math.max(0, delay) : U64_LIMIT;
}

/** `now + ms` as it can be stored: clamped to the largest u64, never wrapped, never "now". */
export function laterBy(now: number, ms: number | bigint): U64 {
  const sum = BigInt(now) + BigInt(ms);
  return u64(sum < 2n ** 64n ? sum : 2n ** 64n - 1n);
}

/**
 * The first rule that holds: kill, then an explicit time (even past the limit), then the limit, then backoff.
 * @param attempts failures so far, this one included
 */
export function judge(
  failure: Failure,
  options: JobOptions,
  attempts: number,
  now: number,
  chance: number,
  defaults: RetryDefaults,
): Verdict {
  if (failure.kill) return { kind: "dead", reason: "killed" };
  if (failure.retryAt !== undefined) return { kind: "retry", readyAt: failure.retryAt };
  if (attempts > (options.retryLimit ?? defaults.retryLimit)) return { kind: "dead", reason: "retries_exhausted" };
  const delay = retryDelayMs(options.backoff ?? defaults.backoff, attempts, chance);
  return { kind: "retry", readyAt: laterBy(now, delay) };
}
