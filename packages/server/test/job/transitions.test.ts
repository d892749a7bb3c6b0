import { type DeliveryToken, instant, type JobId, type QueueName, type TypeName } from "@millrace/protocol/ids";
import { describe, expect, it } from "vitest";
import type { InFlightJob, JobRequest } from "../../src/job/job.ts";
import { admit, claim, complete, fail, promote, requeue } from "../../src/job/transitions.ts";

const id = "03fr82s077azjmurys29qjch4" as JobId;
const retry = { retryLimit: 25, backoff: { exponent: 4, baseMs: 15_000, jitterMs: 30_000 } };
const retention = { completedMs: 0, deadMs: 1000 };

function request(over: Partial<JobRequest> = {}): JobRequest {
  const payload = { format: "json", bytes: Buffer.from("1") } as const;
  const named = { queue: "q" as QueueName, type: "t" as TypeName };
  return { ...named, payload, priority: 32_768, readyAt: undefined, options: {}, ...over };
}

function inFlight(over: Partial<JobRequest> = {}): InFlightJob {
  const job = admit(request(over), id, instant(100));
  const ready = job.status === "scheduled" ? promote(job) : job;
  return claim(ready, "token" as DeliveryToken, instant(200));
}

describe("a job's life", () => {
  it("starts ready now, or scheduled when its time is ahead; an exact time is kept", () => {
    expect(admit(request(), id, instant(100))).toMatchObject({ status: "ready", readyAt: 100, attempts: 0, lost: 0 });
    expect(admit(request({ readyAt: 100 }), id, instant(100)).status).toBe("ready");
    expect(admit(request({ readyAt: 50 }), id, instant(100))).toMatchObject({ status: "ready", readyAt: 50 });
    expect(admit(request({ readyAt: 101 }), id, instant(100))).toMatchObject({ status: "scheduled", because: "delay" });
    const far = 2n ** 64n - 1n;
    expect(admit(request({ readyAt: far }), id, instant(100))).toMatchObject({ status: "scheduled", readyAt: far });
  });

  it("is claimed with the time of taking and a delivery", () => {
    expect(inFlight()).toMatchObject({ status: "in_flight", dequeuedAt: 200, delivery: "token", attempts: 0 });
  });

  it("goes back unchanged when its worker vanishes, but for the loss; a shutdown is not the worker's fault", () => {
    const lost = requeue(inFlight(), "lost");
    expect(lost).toMatchObject({ status: "ready", lost: 1, attempts: 0, dequeuedAt: 200, readyAt: 100 });
    expect(lost).not.toHaveProperty("delivery");
    expect(requeue(inFlight(), "shutdown").lost).toBe(0);
  });

  it("keeps its due time when it is promoted", () => {
    const job = admit(request({ readyAt: 500 }), id, instant(100));
    if (job.status !== "scheduled") throw new Error("expected a scheduled job");
    expect(promote(job)).toMatchObject({ status: "ready", readyAt: 500 });
    expect(promote(job)).not.toHaveProperty("because");
  });

  it("is completed without a trace unless somebody wants it kept", () => {
    expect(complete(inFlight(), instant(300), retention)).toMatchObject({ completedAt: 300, purgeAt: undefined });
    const kept = inFlight({ options: { completedRetentionMs: 50 } });
    expect(complete(kept, instant(300), retention).purgeAt).toBe(350);
    const forEver = inFlight({ options: { completedRetentionMs: 2n ** 64n - 1n } });
    expect(complete(forEver, instant(300), retention).purgeAt).toBe(2n ** 64n - 1n);
  });

  it("is scheduled again after a failure, with one more attempt", () => {
    const outcome = fail(inFlight(), { message: "no", kill: false }, instant(300), 0, retry, retention);
    expect(outcome).toMatchObject({
      status: "scheduled",
      because: "retry",
      attempts: 1,
      failedAt: 300,
      readyAt: 16_300,
    });
  });

  it("dies when killed or out of retries; its own retention beats the server's, and zero leaves nothing", () => {
    const dead = fail(inFlight(), { message: "no", kill: true }, instant(300), 0, retry, retention);
    expect(dead).toMatchObject({ status: "dead", reason: "killed", purgeAt: 1300, attempts: 1, readyAt: 100 });
    const unkept = inFlight({ options: { retryLimit: 0, deadRetentionMs: 0 } });
    const gone = fail(unkept, { message: "no", kill: false }, instant(300), 0, retry, retention);
    expect(gone).toMatchObject({ status: "dead", reason: "retries_exhausted", purgeAt: undefined });
  });
});
