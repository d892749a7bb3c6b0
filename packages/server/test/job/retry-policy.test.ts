import { describe, expect, it } from "vitest";
import { judge, laterBy, retryDelayMs } from "../../src/job/retry-policy.ts";

const serverBackoff = { exponent: 4, baseMs: 15_000, jitterMs: 30_000 };
const dayMs = 86_400_000;
const defaults = { retryLimit: 25, backoff: serverBackoff };
const failure = { message: "no", kill: false };

function totalDays(chance: number): number {
  let total = 0;
  for (let attempts = 1; attempts <= 25; attempts += 1) total += retryDelayMs(serverBackoff, attempts, chance);
  return total / dayMs;
}

describe("the delay before a retry", () => {
  it("counts the power term in seconds", () => {
    expect(retryDelayMs({ exponent: 2, baseMs: 0, jitterMs: 0 }, 3, 0)).toBe(9000);
  });

  it("is 1000 ms when everything is zero", () => {
    expect(retryDelayMs({ exponent: 0, baseMs: 0, jitterMs: 0 }, 1, 0.99)).toBe(1000);
  });

  it("adds the base once and the jitter by attempt and chance", () => {
    expect(retryDelayMs({ exponent: 1, baseMs: 50, jitterMs: 100 }, 4, 0.5)).toBe(4000 + 50 + 200);
  });

  it("spreads 25 defaults over 24.93 to 25.04 days", () => {
    expect(totalDays(0)).toBeCloseTo(24.93, 2);
    expect(totalDays(0.5)).toBeCloseTo(24.99, 2);
    expect(totalDays(1)).toBeCloseTo(25.04, 2);
  });

  it("starts at 16 to 46 s, then 31 to 91 s", () => {
    expect(retryDelayMs(serverBackoff, 1, 0)).toBe(16_000);
    expect(retryDelayMs(serverBackoff, 1, 1)).toBe(46_000);
    expect(retryDelayMs(serverBackoff, 2, 0)).toBe(31_000);
    expect(retryDelayMs(serverBackoff, 2, 1)).toBe(91_000);
  });

  it("takes the exponent in single precision", () => {
    const exact = Math.trunc(10 ** Math.fround(1.1) * 1000);
    expect(retryDelayMs({ exponent: 1.1, baseMs: 0, jitterMs: 0 }, 10, 0)).toBe(exact);
  });

  it("is clamped when it outgrows everything, never negative and never now", () => {
    expect(retryDelayMs({ exponent: 1e30, baseMs: 0, jitterMs: 0 }, 2, 0)).toBe(2 ** 64);
    expect(laterBy(1000, 2 ** 64)).toBe(2n ** 64n - 1n);
    expect(laterBy(1000, 2 ** 53)).toBe(2n ** 53n + 1000n);
  });
});

describe("the verdict on a failed attempt", () => {
  it("kills even when retries are left", () => {
    expect(judge({ ...failure, kill: true, retryAt: 5 }, {}, 1, 0, 0, defaults)).toEqual({
      kind: "dead",
      reason: "killed",
    });
  });

  it("obeys an explicit time even past the limit, also one that has passed", () => {
    expect(judge({ ...failure, retryAt: 5 }, { retryLimit: 0 }, 9, 1000, 0, defaults)).toEqual({
      kind: "retry",
      readyAt: 5,
    });
  });

  it("allows as many retries as the limit says: the job's own before the server's", () => {
    const own = { retryLimit: 1 };
    expect(judge(failure, own, 1, 0, 0, defaults).kind).toBe("retry");
    expect(judge(failure, own, 2, 0, 0, defaults)).toEqual({ kind: "dead", reason: "retries_exhausted" });
    expect(judge(failure, {}, 25, 0, 0, defaults).kind).toBe("retry");
    expect(judge(failure, {}, 26, 0, 0, defaults).kind).toBe("dead");
    expect(judge(failure, { retryLimit: 0 }, 1, 0, 0, defaults).kind).toBe("dead");
  });

  it("takes the job's own backoff as a whole", () => {
    const options = { backoff: { exponent: 0, baseMs: 7, jitterMs: 0 } };
    expect(judge(failure, options, 1, 100, 0.9, defaults)).toEqual({ kind: "retry", readyAt: 1107 });
  });
});
