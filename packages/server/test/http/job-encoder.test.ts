import { instant, type JobId, type QueueName, type TypeName, U64_MAX } from "@millrace/protocol/ids";
import { parseJson } from "@millrace/protocol/json";
import { decodeMsgpack, encodeMsgpack } from "@millrace/protocol/msgpack";
import { takeDecoder } from "@millrace/protocol/take-decoder";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JobEncoder } from "../../src/http/job-encoder.ts";
import { float32Text } from "../../src/http/job-json.ts";
import type { Job, Payload } from "../../src/job/job.ts";
import { completedJob, deadJob, inFlightJob, jsonPayload, readyJob, scheduledJob } from "./job-fixtures.ts";

const encoder = new JobEncoder();
const payload = jsonPayload({ image: 17 });
const packed: Payload = { format: "msgpack", bytes: Buffer.from(encodeMsgpack({ image: 17 })) };

function json(job: Job): string {
  return Buffer.from(encoder.job("json", job), "latin1").toString("utf8");
}

const everything = {
  attempts: 3,
  lost: 2,
  dequeuedAt: instant(1773464270001),
  failedAt: instant(1773464270002),
  options: {
    retryLimit: 0,
    backoff: { exponent: 4, baseMs: 15000, jitterMs: 0 },
    completedRetentionMs: U64_MAX,
    deadRetentionMs: 0,
  },
};

const jobs: readonly (readonly [string, Job])[] = [
  ["a ready job", readyJob()],
  ["a ready job with everything set", readyJob(everything)],
  ["a delayed job", scheduledJob("delay", { readyAt: U64_MAX })],
  ["a job that is tried again", scheduledJob("retry", everything)],
  ["a job in flight", inFlightJob(everything)],
  ["a completed job that is kept", completedJob({ ...everything, purgeAt: 9007199254740993n })],
  ["a completed job that is not kept", completedJob()],
  ["a dead job that is kept", deadJob({ ...everything, purgeAt: 1773464272001 })],
  ["a dead job that is not kept", deadJob()],
  ["a job with hostile names", readyJob({ queue: 'ü"\n\u2028/☃😀' as QueueName, type: "<'\\u0000'>" as TypeName })],
  ["a job whose retention is half set", readyJob({ options: { deadRetentionMs: 5 } })],
  ["a job whose retention is set the other half", readyJob({ options: { completedRetentionMs: 70000 } })],
  ["a job with large names", readyJob({ queue: "q".repeat(300) as QueueName, type: "t".repeat(70000) as TypeName })],
];

describe("a job on the wire", () => {
  it("has its members in the order of the contract", () => {
    expect(json(readyJob())).toBe(
      '{"id":"03fr82s077azjmurys29qjch4","type":"thumbnail","queue":"media","priority":32768,"status":"ready",' +
        '"ready_at":1773464269527,"attempts":0}',
    );
    expect(json(deadJob({ ...everything, purgeAt: 1773464272001 }))).toBe(
      '{"id":"03fr82s077azjmurys29qjch4","type":"thumbnail","queue":"media","priority":32768,"status":"dead",' +
        '"ready_at":1773464269527,"attempts":3,"retry_limit":0,' +
        '"backoff":{"exponent":4.0,"base_ms":15000,"jitter_ms":0},"dequeued_at":1773464270001,' +
        '"failed_at":1773464270002,"retention":{"completed_ms":18446744073709551615,"dead_ms":0},' +
        '"purge_at":1773464272001,"reason":"killed","lost":2}',
    );
  });

  it("shows a retry as a phase of scheduled", () => {
    expect(JSON.parse(json(scheduledJob("retry")))).toMatchObject({ status: "scheduled", phase: "retry" });
    expect(JSON.parse(json(scheduledJob("delay")))).not.toHaveProperty("phase");
  });

  it("tells after an enqueue whether it is new", () => {
    const enqueued = { job: readyJob(), duplicate: true, folded: false };
    expect(encoder.enqueued("json", enqueued)).toMatch(/"attempts":0,"duplicate":true,"folded":false}$/);
    const bulk = JSON.parse(encoder.enqueuedMany("json", [enqueued, { ...enqueued, duplicate: false }]));
    expect(bulk.jobs.map((job: { duplicate: boolean }) => job.duplicate)).toEqual([true, false]);
    expect(encoder.enqueuedMany("json", [])).toBe('{"jobs":[]}');
  });

  it.each(jobs)("%s is the same in JSON and in MessagePack", (_what, job) => {
    const inMsgpack = decodeMsgpack(Buffer.from(encoder.job("msgpack", job), "latin1"));
    const inJson = parseJson(json(job));
    expect(inMsgpack).toEqual(inJson);
    expect(Object.keys(inMsgpack as object)).toEqual(Object.keys(inJson as object));
    const many = [{ job, duplicate: false, folded: true }];
    const bulkMsgpack = decodeMsgpack(Buffer.from(encoder.enqueuedMany("msgpack", many), "latin1"));
    const bulkJson = parseJson(Buffer.from(encoder.enqueuedMany("json", many), "latin1"));
    expect(bulkMsgpack).toEqual(bulkJson);
  });

  it.each(jobs)("%s has its payload after the status, whichever format it was stored in", (_what, job) => {
    for (const stored of [payload, packed]) {
      const inJson = parseJson(encoder.snapshot("json", { job, payload: stored }));
      const inMsgpack = decodeMsgpack(encoder.snapshot("msgpack", { job, payload: stored }));
      expect(inJson).toMatchObject({ payload: { image: 17 } });
      expect(inMsgpack).toEqual(inJson);
      expect(Object.keys(inJson as object).slice(4, 7)).toEqual(["status", "payload", "ready_at"]);
    }
  });

  it("does not show its delivery outside a take message", () => {
    expect(json(inFlightJob())).not.toContain("delivery");
    const whole = encoder.snapshot("json", { job: inFlightJob(), payload }).toString();
    expect(whole).not.toContain("delivery");
  });

  it("is a row of a page", () => {
    const rows = [
      { job: readyJob(), payload },
      { job: completedJob(), payload: packed },
    ];
    const page = parseJson(encoder.page("json", rows, '{"self":"x"}'));
    expect(page).toMatchObject({ jobs: [{ status: "ready" }, { status: "completed" }], pages: { self: "x" } });
    const pages = Buffer.from(encodeMsgpack({ self: "x" })).toString("latin1");
    expect(decodeMsgpack(encoder.page("msgpack", rows, pages))).toEqual(page);
    expect(encoder.page("json", [], "{}").toString()).toBe('{"jobs":[],"pages":{}}');
  });
});

describe("an exponent", () => {
  it.each([
    [4, "4.0"],
    [1.5, "1.5"],
    [0, "0.0"],
    [0.1, "0.1"],
    [Math.fround(0.1), "0.1"],
    [Math.fround(2.71), "2.71"],
    [16777216, "16777216.0"],
    [Math.fround(1e30), "1e+30"],
  ])("%d is %s", (value, text) => {
    expect(float32Text(value)).toBe(text);
  });

  it("reads back as the same single-precision number", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Math.fround(JSON.parse(float32Text(value)))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe("take messages", () => {
  const messages = Array.from({ length: 300 }, (_, i) => ({
    job: inFlightJob({
      id: `03fr82s077azjmurys29qj${String(i).padStart(3, "0")}` as JobId,
      queue: (i % 3 === 0 ? "ünits" : "media") as QueueName,
      priority: i % 5,
      delivery: `token${i}`,
    }),
    payload: i % 2 === 0 ? jsonPayload({ i, text: "é".repeat(i * 10) }) : packed,
  }));

  it("look as the contract's example", () => {
    const [message] = [{ job: inFlightJob(), payload }];
    expect(encoder.takeMessages("ndjson", [message]).toString()).toBe(
      '{"id":"03fr82s077azjmurys29qjch4","type":"thumbnail","queue":"media","priority":32768,"status":"in_flight",' +
        '"payload":{"image":17},"ready_at":1773464269527,"attempts":0,"dequeued_at":1773464270001,' +
        '"delivery":"d7Qm2x0aK"}\n',
    );
    expect(encoder.takeMessages("sse", [message]).toString()).toMatch(/^data: \{"id".*\}\n\n$/);
  });

  it.each(["ndjson", "sse", "msgpack"] as const)("of one write are read back one by one as %s", (framing) => {
    const decoder = takeDecoder(framing, 1024 * 1024);
    const read = decoder.push(encoder.takeMessages(framing, messages));
    decoder.end();
    const values = read.map((bytes) => (framing === "msgpack" ? decodeMsgpack(bytes) : parseJson(bytes)));
    expect(values).toHaveLength(messages.length);
    for (const [i, value] of values.entries()) {
      expect(value).toMatchObject({
        id: messages[i]?.job.id,
        queue: messages[i]?.job.queue,
        priority: i % 5,
        delivery: `token${i}`,
        payload: i % 2 === 0 ? { i, text: "é".repeat(i * 10) } : { image: 17 },
      });
    }
  });
});
