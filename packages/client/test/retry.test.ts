import { QueueError } from "@millrace/protocol/errors";
import { describe, expect, test } from "vitest";
import { ConnectionError } from "../src/connection-error.ts";
import { delayBefore, mayRepeat, retryPolicy, withRetry } from "../src/retry.ts";
import { ManualTimers } from "./fixture/manual-timers.ts";

function broken(mayHaveHappened: boolean, kind: ConnectionError["kind"] = "reset"): ConnectionError {
  return new ConnectionError({ kind, url: "http://x", request: "POST /jobs", mayHaveHappened });
}

describe("what may be repeated", () => {
  test("a request that counts is repeated only if it was never sent", () => {
    expect(mayRepeat(broken(false, "unreachable"), "unsent")).toBe(true);
    expect(mayRepeat(broken(true), "unsent")).toBe(false);
    expect(mayRepeat(new QueueError("STORAGE_UNAVAILABLE", "maybe written"), "unsent")).toBe(false);
  });

  test("a request that changes nothing twice is repeated unless the server refused it", () => {
    expect(mayRepeat(broken(true, "timeout"), "always")).toBe(true);
    expect(mayRepeat(new QueueError("NOT_READY", "still recovering"), "always")).toBe(true);
    expect(mayRepeat(new QueueError("JOB_NOT_FOUND", "gone"), "always")).toBe(false);
    expect(mayRepeat(new TypeError("our own"), "always")).toBe(false);
  });

  test("nothing is repeated on a client that was closed", () => {
    expect(mayRepeat(broken(false, "closed"), "always")).toBe(false);
  });
});

describe("waits", () => {
  const backoff = { baseMs: 100, delayMsMax: 5000 };

  test("grow twofold up to the bound, also after very many failures", () => {
    const longest = () => 1;
    expect([1, 2, 3, 7, 100_000].map((n) => delayBefore(n, backoff, longest))).toEqual([100, 200, 400, 5000, 5000]);
  });

  test("are spread over their upper half", () => {
    expect(delayBefore(2, backoff, () => 0)).toBe(100);
    expect(delayBefore(2, backoff, () => 0.5)).toBe(150);
  });
});

describe("repeating", () => {
  const alive = new AbortController().signal;

  test("ends with the last failure when the tries are used up, and tells of the first", async () => {
    const timers = new ManualTimers();
    const policy = retryPolicy({ attemptsMax: 3, baseMs: 100 }, timers, () => 1);
    const told: unknown[] = [];
    let tries = 0;
    const result = withRetry(
      () => {
        tries += 1;
        return Promise.reject(new QueueError("INTERNAL", `try ${tries}`));
      },
      "always",
      policy,
      alive,
      (failure) => told.push(failure),
    );
    await timers.alarmWithin(100, 100);
    timers.advance(100);
    await timers.alarmWithin(200, 200);
    timers.advance(200);
    await expect(result).rejects.toThrow("try 3");
    expect(told).toEqual([expect.objectContaining({ message: "try 1" })]);
    expect(timers.pending).toEqual([]);
  });

  test("ends at once, its alarm taken back, when the signal fires during a wait", async () => {
    const timers = new ManualTimers();
    const stop = new AbortController();
    const policy = retryPolicy({ attemptsMax: Number.POSITIVE_INFINITY }, timers, () => 1);
    let tries = 0;
    const result = withRetry(
      () => {
        tries += 1;
        return Promise.reject(broken(true));
      },
      "always",
      policy,
      stop.signal,
    );
    await timers.alarmWithin(100, 100);
    stop.abort();
    await expect(result).rejects.toBeInstanceOf(ConnectionError);
    expect(timers.pending).toEqual([]);
    expect(tries).toBe(1);
  });
});
