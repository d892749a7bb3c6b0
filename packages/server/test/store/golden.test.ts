import { type DeliveryToken, instant } from "@millrace/protocol/ids";
import { describe, expect, it } from "vitest";
import { encodeError } from "../../src/store/error-record.ts";
import { decodeFinished, decodeLive, encodeJob, unreadableJob } from "../../src/store/job-record.ts";
import { countKey, errorKey, idKey, metaKey, purgeKey, tags } from "../../src/store/keyspace.ts";
import {
  encodeClaim,
  encodeFormat,
  encodeNumber,
  encodePayload,
  encodePurgeMark,
} from "../../src/store/small-records.ts";
import { completedJob, deadJob, payloadOf, readyJob, scheduledJob } from "./fixture-jobs.ts";

/**
 * The bytes of format version 1. They are on users' disks: a line that has to change here is a new format version, with the
 * old lines kept and still read.
 */
const golden: Record<string, [key: string, value: string]> = {
  "a ready job": [
    "4c019a0000000000010000000000000007",
    "0100f4010000000000000000280000000068e5cf8b010000056d65646961097468756d626e61696c7b22696d616765223a31" +
      "377d8397d0b8",
  ],
  "a scheduled job with every field": [
    "4c019a0000000000010000000000000007",
    "01013412fc010000070000005c0000000500000000000080f469e5cf8b010000846be5cf8b01000002000000090000000000" +
      "c03ffa00000000286bee60ea000000000000ffffffffffffffff056d65646961097468756d626e61696c7b22696d61676522" +
      "3a31377dcdd7014a",
  ],
  "a retry": [
    "4c019a0000000000010000000000000007",
    "0102f40100000000000000002e0000000068e5cf8b0100000b6cc3a46e67732ff09f93ac097468756d626e61696c7b22696d" +
      "616765223a31377dfccebf20",
  ],
  "a completed job": [
    "46019a0000000000010000000000000007",
    "01033412fc070000070000006c0000000500000000000080f469e5cf8b010000846be5cf8b01000002000000090000000000" +
      "c03ffa00000000286bee60ea000000000000ffffffffffffffffe86be5cf8b010000a0eee6cf8b010000056d656469610974" +
      "68756d626e61696c7b22696d616765223a31377d82983ac1",
  ],
  "a dead job": [
    "46019a0000000000010000000000000007",
    "01043412fc05000007000000640000000500000000000080f469e5cf8b010000846be5cf8b01000002000000090000000000" +
      "c03ffa00000000286bee60ea000000000000ffffffffffffffffa0eee6cf8b010000056d65646961097468756d626e61696c" +
      "7b22696d616765223a31377d8ce08e36",
  ],
  "a killed job": [
    "46019a0000000000010000000000000007",
    "0105f4010804000000000000380000000068e5cf8b010000e86be5cf8b010000a0eee6cf8b010000056d6564696109746875" +
      "6d626e61696c7b22696d616765223a31377d7bff737c",
  ],
  "a job whose MessagePack stands apart": [
    "4c019a0000000000010000000000000007",
    "0100f4010300000000000000280000000068e5cf8b010000056d65646961097468756d626e61696c28190f56",
  ],
  "a payload apart": ["50019a0000000000010000000000000007", "0101c281c2a16101e84b1184"],
  "a claim": [
    "43019a0000000000010000000000000007",
    "0101000001000000f469e5cf8b010000113061626364656630303030303030303031fcc81119",
  ],
  "a claim given back": ["43019a0000000000010000000000000007", "0102000002000000f469e5cf8b01000000f3148ef1"],
  "an error": [
    "45019a000000000001000000000000000700000003",
    "01030000f469e5cf8b010000f469e5cf8b0100000500000062c3b6736501000000450400000061742078db001871",
  ],
  "a purge mark": [
    "410000018bcfe6eea0019a0000000000010000000000000007",
    "0101010000000000056d65646961097468756d626e61696c21bedcf9",
  ],
  "a count": ["4e646d65646961007468756d626e61696c", "0100000001000000000100002f468bc9"],
  "the format version": ["4d666f726d6174", "010000000100000040b48e6b"],
  "the writer epoch": ["4d65706f6368", "0100000000f153650000000008c3a709"],
};

function hex(key: Uint8Array, value: Uint8Array): [string, string] {
  return [Buffer.from(key).toString("hex"), Buffer.from(value).toString("hex")];
}

const full = {
  priority: 0x1234,
  attempts: 7,
  lost: 2,
  readyAt: 2n ** 63n + 5n,
  dequeuedAt: instant(1_700_000_000_500),
  failedAt: instant(1_700_000_000_900),
  options: {
    retryLimit: 9,
    backoff: { exponent: 1.5, baseMs: 250, jitterMs: 4_000_000_000 },
    completedRetentionMs: 60_000,
    deadRetentionMs: 2n ** 64n - 1n,
  },
};

const jobs = {
  "a ready job": readyJob(),
  "a scheduled job with every field": scheduledJob(full),
  "a retry": scheduledJob({ because: "retry", queue: "längs/📬" }),
  "a completed job": completedJob(full),
  "a dead job": deadJob(full),
  "a killed job": deadJob({ reason: "killed" }),
};

function written(): Record<string, [string, string]> {
  const { id } = readyJob();
  const lines: Record<string, [string, string]> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const key = idKey(job.status === "completed" || job.status === "dead" ? tags.finished : tags.live, id);
    lines[name] = hex(key, encodeJob(job, payloadOf(), false, key));
  }
  const live = idKey(tags.live, id);
  lines["a job whose MessagePack stands apart"] = hex(
    live,
    encodeJob(readyJob(), payloadOf("", "msgpack"), true, live),
  );
  const apart = idKey(tags.payload, id);
  lines["a payload apart"] = hex(apart, encodePayload(payloadOf("\x81\xa1a\x01", "msgpack"), apart));
  const claim = idKey(tags.claim, id);
  const dequeuedAt = instant(1_700_000_000_500);
  const delivery = "0abcdef0000000001" as DeliveryToken;
  lines["a claim"] = hex(claim, encodeClaim({ held: true, dequeuedAt, lost: 1, delivery }, claim));
  lines["a claim given back"] = hex(
    claim,
    encodeClaim({ held: false, dequeuedAt, lost: 2, delivery: undefined }, claim),
  );
  const error = errorKey(id, 3);
  const failure = { attempt: 3, message: "böse", errorType: "E", backtrace: "at x", dequeuedAt, failedAt: dequeuedAt };
  lines["an error"] = hex(error, encodeError(failure, error));
  const mark = purgeKey(1_700_000_100_000, id);
  lines["a purge mark"] = hex(mark, encodePurgeMark({ ...deadJob(), apart: true }, mark));
  const count = countKey("dead", "media", "thumbnail");
  lines["a count"] = hex(count, encodeNumber(2 ** 40 + 1, count));
  const format = metaKey("format");
  lines["the format version"] = hex(format, encodeFormat(1, format));
  const epoch = metaKey("epoch");
  lines["the writer epoch"] = hex(epoch, encodeNumber(1_700_000_000, epoch));
  return lines;
}

describe("format version 1", () => {
  it("has golden bytes for every kind of record", () => {
    expect(Object.keys(written())).toEqual(Object.keys(golden));
  });

  it.each(Object.entries(golden))("spells %s as it always did", (name, line) => {
    expect(written()[name]).toEqual(line);
  });

  it.each(Object.entries(jobs))("still reads %s", (name, job) => {
    const [key = "", value = ""] = golden[name] ?? [];
    const record = Buffer.from(value, "hex");
    expect(unreadableJob(record, Buffer.from(key, "hex"))).toBeUndefined();
    const decode = job.status === "completed" || job.status === "dead" ? decodeFinished : decodeLive;
    expect(decode(record, job.id)).toEqual(job);
  });
});
