/**
 * Which failures may be repeated, and after how long. The question is never "was it an error?" but "could a repeat do
 * something twice?": a request whose answer was lost may have been carried out.
 */
import { QueueError } from "@millrace/protocol/errors";
import { ConnectionError } from "./connection-error.ts";
import { pause, type Timers } from "./timers.ts";

/**
 * `always`: a second run changes nothing (GET; an ack or failure that carries its delivery token).
 * `unsent`: a second run would count, so only what never left this machine is repeated (enqueue, delete, tokenless acks).
 */
export type Repeatable = "always" | "unsent";

export interface RetryOptions {
  /** Tries in all, the first included. Default 5; 1 = never repeat. */
  readonly attemptsMax?: number;
  /** Milliseconds before the second try; doubles each time. Default 100. */
  readonly baseMs?: number;
  /** Milliseconds, the longest wait between two tries. Default 5000. */
  readonly delayMsMax?: number;
}

/** How waits between tries grow; see {@link delayBefore}. */
export interface Backoff {
  readonly baseMs: number;
  readonly delayMsMax: number;
}

export interface RetryPolicy extends Backoff {
  readonly attemptsMax: number;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Options with their defaults; numbers out of range count as the nearest that is legal. */
export function retryPolicy(options: RetryOptions, timers: Timers, random: () => number): RetryPolicy {
  return {
    attemptsMax: Math.max(1, options.attemptsMax ?? 5),
    baseMs: Math.max(0, options.baseMs ?? 100),
    delayMsMax: Math.max(0, options.delayMsMax ?? 5000),
    timers,
    random,
  };
}

/** Whether the same request may be sent again after this failure without doing anything twice. */
export function mayRepeat(failure: unknown, repeatable: Repeatable): boolean {
  if (failure instanceof ConnectionError) {
    if (failure.kind === "closed") return false;
    return repeatable === "always" || !failure.mayHaveHappened;
  }
  return repeatable === "always" && failure instanceof QueueError && failure.status >= 500;
}

/**
 * Milliseconds to wait before another try after `failures` failures (from 1): exponential, bounded, and spread over its
 * upper half so that many clients cut off at one moment do not return at one moment.
 */
export function delayBefore(failures: number, backoff: Backoff, random: () => number): number {
  const whole = Math.min(backoff.delayMsMax, backoff.baseMs * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random() / 2);
}

/**
 * Calls until it works, until repeating is not safe, until the tries are used up, or until the signal fires.
 * `trouble` hears the first failure that is going to be repeated.
 */
export async function withRetry<Result>(
  call: () => Promise<Result>,
  repeatable: Repeatable,
  policy: RetryPolicy,
  signal: AbortSignal,
  trouble?: (failure: unknown) => void,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (failure) {
      if (tries >= policy.attemptsMax || !mayRepeat(failure, repeatable)) throw failure;
      if (tries === 1) trouble?.(failure);
      await pause(policy.timers, delayBefore(tries, policy, policy.random), signal);
      if (signal.aborted) throw failure;
    }
  }
}
