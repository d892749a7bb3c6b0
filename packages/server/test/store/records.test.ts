import { type DeliveryToken, instant } from "@millrace/protocol/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idFromWords } from "../../src/base/id-bytes.ts";
import type { JobOptions, Payload } from "../../src/job/job.ts";
import { decodeError, encodeError } from "../../src/store/error-record.ts";
import type { StoredJob } from "../../src/store/job-fields.ts";
import {
  decodeFinished,
  decodeLive,
  encodeJob,
  inlinePayload,
  isApart,
  unreadableJob,
} from "../../src/store/job-record.ts";
import { errorKey, idKey, purgeKey, tags } from "../../src/store/keyspace.ts";
import {
  decodeClaim,
  decodeFormat,
  decodeNumber,
  decodePayload,
  decodePurgeMark,
  encodeClaim,
  encodeFormat,
  encodeNumber,
  encodePayload,
  encodePurgeMark,
} from "../../src/store/small-records.ts";
import { completedJob, deadJob, readyJob, scheduledJob } from "./fixture-jobs.ts";

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const at = fc.oneof(fc.integer({ min: 0, max: 2 ** 53 - 1 }), fc.integer({ min: 1.6e12, max: 1.8e12 })).map(instant);
/** Numbers up to 2^53 - 1, bigints above: the one form of each value. */
const u64 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2n ** 53n, 2n ** 64n - 1n),
);
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 });
const name = fc.oneof(
  fc.constantFrom("a", "default", "längere Schlange/ü", "📬", "x".repeat(127), "x".repeat(128), "q".repeat(70_000)),
  text,
);
const id = fc.tuple(u32, u32, u32, u32).map((words) => idFromWords(...words));
const options: fc.Arbitrary<JobOptions> = fc.record(
  {
    retryLimit: u32,
    backoff: fc.record({ exponent: fc.float({ noNaN: true, min: 0 }), baseMs: u32, jitterMs: u32 }),
    completedRetentionMs: u64,
    deadRetentionMs: u64,
  },
  { requiredKeys: [] },
);
const common = fc.record({
  id,
  queue: name,
  type: name,
  priority: fc.integer({ min: 0, max: 65_535 }),
  readyAt: u64,
  attempts: u32,
  lost: fc.oneof(fc.constant(0), u32),
  dequeuedAt: fc.option(at, { nil: undefined }),
  failedAt: fc.option(at, { nil: undefined }),
  options,
});
const live = fc.oneof(
  common.map((given) => readyJob(given)),
  common.map((given) => scheduledJob(given)),
  common.map((given) => scheduledJob({ ...given, because: "retry" })),
);
const finished = fc.oneof(
  fc.tuple(common, at, u64).map(([given, completedAt, purgeAt]) => completedJob({ ...given, completedAt, purgeAt })),
  fc
    .tuple(common, at, u64, fc.constantFrom("killed" as const, "retries_exhausted" as const))
    .map(([given, failedAt, purgeAt, reason]) => deadJob({ ...given, failedAt, purgeAt, reason })),
);
const payloadBytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: 1020, max: 1030 }).map((length) => new Uint8Array(length).fill(0x61)),
  fc.constant(new Uint8Array(0)),
);
const payload: fc.Arbitrary<Payload> = fc.record({
  format: fc.constantFrom("json" as const, "msgpack" as const),
  bytes: payloadBytes.map((bytes) => Buffer.from(bytes)),
});

describe("a job record", () => {
  it("gives back every live job and its payload, exactly", () => {
    fc.assert(
      fc.property(live, payload, (job, given) => {
        const key = idKey(tags.live, job.id);
        const record = encodeJob(job, given, false, key);
        expect(unreadableJob(record, key)).toBeUndefined();
        expect(decodeLive(record, job.id)).toEqual(job);
        expect(inlinePayload(record)).toEqual(given);
        expect(isApart(record)).toBe(false);
      }),
    );
  });

  it("gives back every finished job, exactly", () => {
    fc.assert(
      fc.property(finished, payload, (job, given) => {
        const key = idKey(tags.finished, job.id);
        const record = encodeJob(job, given, false, key);
        expect(unreadableJob(record, key)).toBeUndefined();
        expect(decodeFinished(record, job.id)).toEqual(job);
        expect(inlinePayload(record)).toEqual(given);
      }),
    );
  });

  it("knows the format of a payload that stands apart, and none of its bytes", () => {
    const job = readyJob();
    const key = idKey(tags.live, job.id);
    const record = encodeJob(job, { format: "msgpack", bytes: Buffer.alloc(5000) }, true, key);
    expect(isApart(record)).toBe(true);
    expect(inlinePayload(record)).toEqual({ format: "msgpack", bytes: Buffer.alloc(0) });
    expect(record.length).toBeLessThan(100);
  });

  it("shares the strings of names between records", () => {
    const job = readyJob({ queue: "shared/queue" });
    const key = idKey(tags.live, job.id);
    const record = encodeJob(job, { format: "json", bytes: Buffer.from("1") }, false, key);
    const [first, second] = [decodeLive(record, job.id), decodeLive(record, job.id)];
    expect(first.queue).toBe(second.queue);
    expect(first.queue).toBe("shared/queue");
  });

  it("is not confused by names whose bytes share a digest or a length", () => {
    const names = ["Aa", "BB", "AaAa", "BBBB", "AaBB", "BBAa", "", "A"].filter((n) => n !== "");
    for (let round = 0; round < 2; round += 1) {
      for (const queue of names) {
        const job = readyJob({ queue, type: queue + queue });
        const key = idKey(tags.live, job.id);
        expect(decodeLive(encodeJob(job, { format: "json", bytes: Buffer.from("1") }, false, key), job.id)).toEqual(
          job,
        );
      }
    }
  });
});

describe("the small records", () => {
  it("give back claims", () => {
    const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map((t) => t as DeliveryToken);
    const held = fc.record({ held: fc.constant(true), dequeuedAt: at, lost: u32, delivery: token });
    const given = fc.record({ held: fc.constant(false), dequeuedAt: at, lost: u32, delivery: fc.constant(undefined) });
    fc.assert(
      fc.property(fc.oneof(held, given), id, (claim, job) => {
        const key = idKey(tags.claim, job);
        expect(decodeClaim(encodeClaim(claim, key), key)).toEqual(claim);
      }),
    );
  });

  it("give back payloads that stand apart", () => {
    fc.assert(
      fc.property(payload, id, (given, job) => {
        const key = idKey(tags.payload, job);
        expect(decodePayload(encodePayload(given, key), key)).toEqual(given);
      }),
    );
  });

  it("give back purge marks, and errors with unicode texts", () => {
    const mark = fc.record({
      status: fc.constantFrom("completed" as const, "dead" as const),
      queue: name,
      type: name,
      attempts: u32,
      apart: fc.boolean(),
    });
    const error = fc.record(
      {
        attempt: u32,
        message: fc.string({ unit: "grapheme" }),
        errorType: text,
        backtrace: text,
        dequeuedAt: at,
        failedAt: at,
      },
      { requiredKeys: ["attempt", "message", "dequeuedAt", "failedAt"] },
    );
    fc.assert(
      fc.property(mark, error, id, u64, (given, failure, job, purgeAt) => {
        const key = purgeKey(purgeAt, job);
        expect(decodePurgeMark(encodePurgeMark(given, key), key)).toEqual(given);
        const failureKey = errorKey(job, failure.attempt);
        expect(decodeError(encodeError(failure, failureKey), failureKey, failure.attempt)).toEqual(failure);
      }),
    );
  });

  it("give back numbers and format versions", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 53 - 1 }),
        u32,
        fc.uint8Array({ minLength: 1 }),
        (value, version, key) => {
          expect(decodeNumber(encodeNumber(value, key), key)).toBe(value);
          expect(decodeFormat(encodeFormat(version, key), key)).toBe(version);
        },
      ),
    );
  });
});

describe("damage", () => {
  const job: StoredJob = deadJob({
    lost: 3,
    options: { retryLimit: 1, backoff: { exponent: 2, baseMs: 3, jitterMs: 4 } },
  });
  const claimKey = idKey(tags.claim, job.id);
  const claim = { held: true, dequeuedAt: instant(5), lost: 0, delivery: "token" as DeliveryToken };
  const apart: Payload = { format: "json", bytes: Buffer.from('{"a":[1,2,3]}') };
  const finishedKey = idKey(tags.finished, job.id);
  const payloadKey = idKey(tags.payload, job.id);
  const failureKey = errorKey(job.id, 1);
  const failure = { attempt: 1, message: "m", errorType: "t", dequeuedAt: instant(1), failedAt: instant(2) };
  const markKey = purgeKey(9, job.id);
  const mark = { ...job, apart: true };
  const kinds: [string, Uint8Array, Buffer, (record: Buffer, key: Uint8Array) => unknown][] = [
    ["job", finishedKey, encodeJob(job, apart, false, finishedKey), unreadableJob],
    ["claim", claimKey, encodeClaim(claim, claimKey), decodeClaim],
    ["payload", payloadKey, encodePayload(apart, payloadKey), decodePayload],
    ["error", failureKey, encodeError(failure, failureKey), (record, key) => decodeError(record, key, 1)],
    ["purge mark", markKey, encodePurgeMark(mark, markKey), decodePurgeMark],
    ["number", claimKey, encodeNumber(77, claimKey), decodeNumber],
    ["format", claimKey, encodeFormat(1, claimKey), decodeFormat],
  ];

  it.each(kinds)("of any single bit of a %s record or of its key is noticed", (_, key, record, decode) => {
    expect(decode(record, key)).not.toBe("damaged");
    for (const bytes of [record, key]) {
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flip = () => {
          bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        };
        flip();
        expect(decode(record, key)).toBe("damaged");
        flip();
      }
    }
  });

  it.each(kinds)("by cutting or lengthening a %s record is noticed", (_, key, record, decode) => {
    for (let length = 0; length < record.length; length += 1)
      expect(decode(record.subarray(0, length), key)).toBe("damaged");
    expect(decode(Buffer.concat([record, Buffer.from([0])]), key)).toBe("damaged");
  });
});
