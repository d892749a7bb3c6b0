import { describe, expect, test } from "vitest";
import { filterQuery, listQuery } from "../src/query.ts";
import { fromPayloadView, fromTakeView, toEnqueueBody, toWireTime } from "../src/wire-names.ts";

const view = {
  id: "0".repeat(25),
  type: "t",
  queue: "q",
  priority: 5,
  status: "dead",
  ready_at: 2n ** 64n - 1n,
  attempts: 3,
  retry_limit: 2,
  backoff: { exponent: 1.5, base_ms: 10, jitter_ms: 20 },
  dequeued_at: 1,
  failed_at: 2,
  retention: { completed_ms: 0, dead_ms: 7 },
  purge_at: 3,
  reason: "retries_exhausted",
  lost: 1,
  payload: { n: 1 },
} as const;

describe("names", () => {
  test("a new job's options get the wire's names, and absent ones are left out", () => {
    const body = toEnqueueBody({
      type: "t",
      queue: "q",
      payload: null,
      priority: 0,
      readyAt: new Date(1_800_000_000_000),
      retryLimit: 0,
      backoff: { exponent: 2, baseMs: 1, jitterMs: 0 },
      retention: { deadMs: 9 },
    });
    expect(body).toEqual({
      type: "t",
      queue: "q",
      payload: null,
      priority: 0,
      ready_at: 1_800_000_000_000,
      retry_limit: 0,
      backoff: { exponent: 2, base_ms: 1, jitter_ms: 0 },
      retention: { dead_ms: 9 },
    });
    expect(toEnqueueBody({ type: "t", queue: "q", payload: 1 })).toEqual({ type: "t", queue: "q", payload: 1 });
  });

  test("a job on the wire gets this library's names, and no other name is left", () => {
    expect(fromPayloadView(view)).toEqual({
      id: "0".repeat(25),
      type: "t",
      queue: "q",
      priority: 5,
      status: "dead",
      readyAt: Number.MAX_SAFE_INTEGER,
      attempts: 3,
      retryLimit: 2,
      backoff: { exponent: 1.5, baseMs: 10, jitterMs: 20 },
      dequeuedAt: 1,
      failedAt: 2,
      retention: { completedMs: 0, deadMs: 7 },
      purgeAt: 3,
      reason: "retries_exhausted",
      lost: 1,
      payload: { n: 1 },
    });
  });

  test("a taken job without a token is refused, since its acks could end another run", () => {
    expect(() => fromTakeView(view)).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
  });
});

describe("what is refused before it is sent", () => {
  test("an option that no job has, such as a misspelt one", () => {
    const job = { type: "t", queue: "q", payload: 1, ready_at: 5 };
    expect(() => toEnqueueBody(job)).toThrow('unknown option "ready_at"');
  });

  test("a time in seconds, with the milliseconds that were probably meant", () => {
    expect(() => toWireTime("readyAt", 1_773_464_269)).toThrow("did you mean 1773464269000?");
    expect(() => toWireTime("readyAt", 978_307_199_999)).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
    expect(toWireTime("readyAt", 978_307_200_000)).toBe(978_307_200_000);
    expect(toWireTime("readyAt", 0)).toBe(0);
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, new Date(Number.NaN)])("the time %s", (time) => {
    expect(() => toWireTime("readyAt", time)).toThrow("whole milliseconds");
  });

  test("a number that JSON would turn into null", () => {
    expect(() => toEnqueueBody({ type: "t", queue: "q", payload: 1, priority: Number.NaN })).toThrow("priority");
  });
});

describe("queries", () => {
  test("lists are joined, ranges are written, and everything is escaped", () => {
    const query = listQuery({
      queue: ["a&b", "c d"],
      status: "ready",
      priority: { min: 1, max: 5 },
      readyAt: { min: 7 },
      attempts: 3,
      order: "desc",
      limit: 10,
      from: "x",
    });
    expect(query).toBe(
      "?from=x&order=desc&limit=10&status=ready&queue=a%26b%2Cc%20d&priority=1..5&ready_at=7..&attempts=3",
    );
    expect(filterQuery({})).toBe("");
    expect(filterQuery({ queue: [], priority: {} })).toBe("");
  });

  test("a value with a comma is refused, for it would select other jobs", () => {
    expect(() => filterQuery({ queue: "a,b" })).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
    expect(() => filterQuery({ type: ["a", ""] })).toThrow("must not be empty");
  });
});
