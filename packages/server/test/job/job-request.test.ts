import { parseJson } from "@millrace/protocol/json";
import { decodeMsgpack } from "@millrace/protocol/msgpack";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyJson } from "../../../protocol/test/arbitrary-json.ts";
import { limits as bounds } from "../../src/base/limits.ts";
import type { JobRequest } from "../../src/job/job.ts";
import { parseBulk, parseEnqueue } from "../../src/job/job-request.ts";
import { encode, formats } from "./request-formats.ts";

const limits = { payloadBytesMax: 1000, bulkItemsMax: 5 };
const least = { type: "thumbnail", queue: "media", payload: { image: 17 } };
const backoff = { exponent: 2, base_ms: 10, jitter_ms: 5 };

function payloadOf(request: JobRequest): unknown {
  const { format, bytes } = request.payload;
  return format === "json" ? parseJson(bytes) : decodeMsgpack(bytes);
}

function refused(code: string, message: string, details: object = {}): unknown {
  return expect.objectContaining({ code, message: expect.stringContaining(message), details });
}

describe.each(formats)("an enqueue in %s", (format) => {
  const parse = (body: unknown) => parseEnqueue(encode(body, format), format, limits);

  test("needs a type, a queue and a payload, and has defaults for the rest", () => {
    const { payload, ...rest } = parse(least);
    expect(rest).toEqual({ type: "thumbnail", queue: "media", priority: 32_768, readyAt: undefined, options: {} });
    expect(payload.format).toBe(format);
  });

  test("keeps any payload exactly", () => {
    fc.assert(
      fc.property(anyJson, (payload) => {
        const request = parseEnqueue(encode({ ...least, payload }, format), format, {
          payloadBytesMax: 0,
          bulkItemsMax: 0,
        });
        expect(payloadOf(request)).toEqual(payload);
      }),
    );
  });

  test.each([
    ["priority", 0, { priority: 0 }],
    ["priority", 65_535, { priority: 65_535 }],
    ["priority", null, { priority: 32_768 }],
    ["ready_at", 0, { readyAt: 0 }],
    ["ready_at", 1773464269527, { readyAt: 1773464269527 }],
    ["ready_at", Number.MAX_SAFE_INTEGER, { readyAt: Number.MAX_SAFE_INTEGER }],
    ["ready_at", 2n ** 53n, { readyAt: 2n ** 53n }],
    ["ready_at", 2n ** 64n - 1n, { readyAt: 2n ** 64n - 1n }],
    ["ready_at", null, { readyAt: undefined }],
    ["retry_limit", 0, { options: { retryLimit: 0 } }],
    ["retry_limit", 2 ** 32 - 1, { options: { retryLimit: 2 ** 32 - 1 } }],
    ["retry_limit", null, { options: {} }],
    ["backoff", backoff, { options: { backoff: { exponent: 2, baseMs: 10, jitterMs: 5 } } }],
    [
      "backoff",
      { ...backoff, exponent: 0, extra: 1 },
      { options: { backoff: { exponent: 0, baseMs: 10, jitterMs: 5 } } },
    ],
    [
      "backoff",
      { ...backoff, exponent: 1.1 },
      { options: { backoff: { exponent: Math.fround(1.1), baseMs: 10, jitterMs: 5 } } },
    ],
    ["backoff", null, { options: {} }],
    ["retention", {}, { options: {} }],
    ["retention", { completed_ms: 0 }, { options: { completedRetentionMs: 0 } }],
    ["retention", { completed_ms: null, dead_ms: 2n ** 64n - 1n }, { options: { deadRetentionMs: 2n ** 64n - 1n } }],
    ["retention", null, { options: {} }],
    ["queue", "a b/ü:😀", { queue: "a b/ü:😀" }],
    ["type", "x".repeat(5000), { type: "x".repeat(5000) }],
    ["unknown", { any: ["thing"] }, {}],
    ["batch", null, {}],
    ["unique_key", null, {}],
  ])("takes %s %o", (field, value, expected) => {
    expect(parse({ ...least, [field]: value })).toMatchObject(expected);
    expect(parse({ [field]: value, ...least, [field]: value }).options).toEqual(
      "options" in expected ? expected.options : {},
    );
  });

  test.each([
    ["type", undefined, "type is required"],
    ["type", null, "type is required"],
    ["type", 5, "type must be a string"],
    ["queue", undefined, "queue is required"],
    ["queue", ["media"], "queue must be a string"],
    ["payload", undefined, "payload is required"],
    ["priority", -1, "priority must be an integer from 0 to 65535"],
    ["priority", 65_536, "priority must be an integer from 0 to 65535"],
    ["priority", 1.5, "priority must be an integer from 0 to 65535"],
    ["priority", "5", "priority must be an integer from 0 to 65535"],
    ["priority", true, "priority must be an integer from 0 to 65535"],
    ["priority", 2n ** 64n - 1n, "priority must be an integer from 0 to 65535"],
    ["ready_at", -1, "ready_at must be an integer from 0 to 18446744073709551615"],
    ["ready_at", -(2n ** 60n), "ready_at must be an integer from 0 to 18446744073709551615"],
    ["ready_at", 0.5, "ready_at must be an integer from 0 to 18446744073709551615"],
    ["ready_at", 1e20, "ready_at must be an integer from 0 to 18446744073709551615"],
    ["ready_at", "now", "ready_at must be an integer from 0 to 18446744073709551615"],
    ["retry_limit", 2 ** 32, "retry_limit must be an integer from 0 to 4294967295"],
    ["retry_limit", [], "retry_limit must be an integer from 0 to 4294967295"],
    ["backoff", 5, "backoff must be an object"],
    ["backoff", [backoff], "backoff must be an object"],
    ["backoff", {}, "backoff.exponent is required"],
    ["backoff", { ...backoff, exponent: -0.1 }, "backoff.exponent must be a number from 0"],
    ["backoff", { ...backoff, exponent: 1e39 }, "backoff.exponent must be a number from 0"],
    ["backoff", { ...backoff, exponent: "4" }, "backoff.exponent must be a number from 0"],
    ["backoff", { ...backoff, base_ms: undefined }, "backoff.base_ms is required"],
    ["backoff", { ...backoff, base_ms: 2 ** 32 }, "backoff.base_ms must be an integer from 0 to 4294967295"],
    ["backoff", { ...backoff, jitter_ms: null }, "backoff.jitter_ms is required"],
    ["retention", "1d", "retention must be an object"],
    ["retention", { completed_ms: -1 }, "retention.completed_ms must be an integer from 0 to 18446744073709551615"],
    ["retention", { dead_ms: "7d" }, "retention.dead_ms must be an integer from 0 to 18446744073709551615"],
  ])("refuses %s %o by its path", (field, value, message) => {
    expect(() => parse({ ...least, [field]: value })).toThrowError(refused("INVALID_FIELD", message));
  });

  test.each(["", "a,b", "a\0b", "*", "a?", "[a", "a]", "{", "}", "back\\slash"])("refuses the name %j", (name) => {
    expect(() => parse({ ...least, type: name })).toThrowError(refused("INVALID_NAME", "type must"));
    expect(() => parse({ ...least, queue: name })).toThrowError(refused("INVALID_NAME", "queue must"));
  });

  test.each([
    ["unique_key", "a"],
    ["unique_while", "active"],
    ["batch", { key: "k", when: "true", fold: "." }],
    ["budgets", [{ key: "b", cost: 1 }]],
    ["expires_at", 5],
    ["timeout_ms", 5],
    ["group", "g"],
    ["tags", ["t"]],
    ["config_key", "c"],
    ["dedupe", { mode: "replace" }],
    ["overlap", "wait"],
    ["on_conflict", "error"],
    ["queue_ttl_ms", 5],
    ["max_lost", 3],
    ["cost_ms", 5],
    ["cancel", { grace_ms: 0 }],
    ["retry", {}],
    ["after", ["03fr82s077azjmurys29qjch4"]],
    ["on_parent_failed", "ignore"],
  ])("refuses %s, which is not built, instead of ignoring it", (field, value) => {
    expect(() => parse({ ...least, [field]: value })).toThrowError(
      refused("NOT_SUPPORTED", `${field} is not supported`),
    );
  });

  test("checks names first, then what is not built, then the rest", () => {
    const wrong = { ...least, queue: "a,b", unique_key: "u", priority: -1 };
    expect(() => parse(wrong)).toThrowError(refused("INVALID_NAME", "queue"));
    expect(() => parse({ ...wrong, queue: "a" })).toThrowError(refused("NOT_SUPPORTED", "unique_key"));
    expect(() => parse({ ...wrong, queue: "a", unique_key: null })).toThrowError(refused("INVALID_FIELD", "priority"));
  });

  test.each([[5], ["text"], [[least]], [null]])("refuses the body %j, which is no object", (body) => {
    expect(() => parse(body)).toThrowError(refused("INVALID_FIELD", "the body must be an object"));
  });

  test("measures a payload as JSON", () => {
    // As JSON: two quotes and six characters for each NUL.
    const payload = (bytes: number) => ({ ...least, payload: `${"\0".repeat(100)}${"x".repeat(bytes - 602)}` });
    expect(parse(payload(1000)).queue).toBe("media");
    expect(() => parse(payload(1001))).toThrowError(refused("PAYLOAD_TOO_LARGE", "payload has 1001 bytes as JSON"));
  });

  test("counts nesting from the top of the body", () => {
    const nested = (depth: number) => ({ ...least, payload: JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) });
    const parseLarge = (body: unknown) =>
      parseEnqueue(encode(body, format), format, { payloadBytesMax: 0, bulkItemsMax: 0 });
    expect(parseLarge(nested(bounds.nestingMax - 1)).queue).toBe("media");
    expect(() => parseLarge(nested(bounds.nestingMax))).toThrowError(refused("MALFORMED_BODY", "deeper than 512"));
  });

  test("keeps its payload when the body's memory is used again", () => {
    const body = encode(least, format);
    const request = parseEnqueue(body, format, limits);
    body.fill(0);
    expect(payloadOf(request)).toEqual(least.payload);
  });
});

describe.each(formats)("a bulk enqueue in %s", (format) => {
  const parse = (body: unknown) => parseBulk(encode(body, format), format, limits);

  test("gives its jobs in order", () => {
    const jobs = [1, 2, 3].map((payload) => ({ ...least, payload, queue: `q${payload}` }));
    const requests = parse({ before: [{}], jobs, after: null });
    expect(requests.map((request) => [request.queue, payloadOf(request)])).toEqual([
      ["q1", 1],
      ["q2", 2],
      ["q3", 3],
    ]);
  });

  test("may be empty", () => {
    expect(parse({ jobs: [] })).toEqual([]);
  });

  test("is equal to single enqueues", () => {
    const job = { ...least, priority: 7, ready_at: 9, retry_limit: 1, backoff, retention: { dead_ms: 5 } };
    expect(parse({ jobs: [job] })).toEqual([parseEnqueue(encode(job, format), format, limits)]);
  });

  test.each([
    [{ ...least, priority: -1 }, "INVALID_FIELD", "jobs[2].priority must be an integer"],
    [
      { ...least, backoff: { ...backoff, base_ms: "x" } },
      "INVALID_FIELD",
      "jobs[2].backoff.base_ms must be an integer",
    ],
    [{ ...least, type: "" }, "INVALID_NAME", "jobs[2].type must not be empty"],
    [{ ...least, budgets: [] }, "NOT_SUPPORTED", "jobs[2].budgets is not supported"],
    [{ ...least, payload: "x".repeat(1000) }, "PAYLOAD_TOO_LARGE", "jobs[2].payload has 1002 bytes"],
    [{ type: "a", queue: "b" }, "INVALID_FIELD", "jobs[2].payload is required"],
    [5, "INVALID_FIELD", "jobs[2] must be an object"],
  ])("names the member %j that is wrong", (job, code, message) => {
    const body = { jobs: [least, least, job, { ...least, queue: "" }] };
    expect(() => parse(body)).toThrowError(refused(code, message, { index: 2 }));
  });

  test.each([
    [{}, "jobs is required"],
    [{ jobs: null }, "jobs must be an array"],
    [{ jobs: least }, "jobs must be an array"],
    [[least], "the body must be an object"],
  ])("refuses the body %j", (body, message) => {
    expect(() => parse(body)).toThrowError(refused("INVALID_FIELD", message));
  });

  test("has a limit of members, which 0 turns off", () => {
    const jobs = (count: number) => ({ jobs: new Array(count).fill(least) });
    expect(parse(jobs(5))).toHaveLength(5);
    expect(() => parse(jobs(6))).toThrowError(refused("TOO_MANY_ITEMS", "more than 5"));
    expect(parseBulk(encode(jobs(6), format), format, { ...limits, bulkItemsMax: 0 })).toHaveLength(6);
  });

  test("is malformed rather than wrong when both are true", () => {
    const wrong = encode({ jobs: [{ ...least, priority: -1 }, least] }, format);
    const cut = wrong.subarray(0, wrong.length - 1);
    expect(() => parseBulk(cut, format, limits)).toThrowError(refused("MALFORMED_BODY", ""));
  });
});

describe("a JSON body", () => {
  const parse = (json: string) => parseEnqueue(Buffer.from(json), "json", limits);

  test("of repeated keys counts the last", () => {
    const request = parse('{"type":5,"type":"t","queue":"q","payload":1,"payload":2,"priority":-1,"priority":3}');
    expect(request).toMatchObject({ type: "t", priority: 3 });
    expect(request.payload.bytes.toString()).toBe("2");
    const bulk = '{"jobs":[5],"jobs":[{"type":"t","queue":"q","payload":3}]}';
    expect(parseBulk(Buffer.from(bulk), "json", limits)).toHaveLength(1);
  });

  test("may spell keys and names with escapes", () => {
    expect(parse('{"t\\u0079pe":"t\\n","\\u0071ueue":"\\ud83d\\ude00","payload":0}')).toMatchObject({
      type: "t\n",
      queue: "😀",
    });
  });

  test("may write whole numbers as floats", () => {
    expect(parse('{"type":"t","queue":"q","payload":0,"priority":5.0,"ready_at":1e3,"retry_limit":-0}')).toMatchObject({
      priority: 5,
      readyAt: 1000,
      options: { retryLimit: 0 },
    });
  });

  test("loses line breaks between the parts of a payload, and nothing else", () => {
    const bytesOf = (json: string) =>
      parse(`{"type":"t","queue":"q",\n"payload":\n${json}\n}`).payload.bytes.toString();
    expect(bytesOf('{ "a" : [1,\r\n 2.50], "b\\n" : "x  y" }')).toBe('{"a":[1,2.50],"b\\n":"x  y"}');
    expect(bytesOf('{ "a" : [1, 2.50] }')).toBe('{ "a" : [1, 2.50] }');
  });

  test.each([
    '{"type":"t","queue":"q","payload":"\\ud800"}',
    '{"type":"\\udc00","queue":"q","payload":1}',
    "",
    "{",
    '{"type":"t"}}',
  ])("is malformed: %s", (json) => {
    expect(() => parse(json)).toThrowError(refused("MALFORMED_BODY", ""));
  });
});

test("a MessagePack body with bin or ext within a payload is malformed", () => {
  const body = Buffer.concat([encode(least, "msgpack").subarray(0, -1), Buffer.from("c40101", "hex")]);
  expect(() => parseEnqueue(body, "msgpack", limits)).toThrowError(refused("MALFORMED_BODY", "bin or ext"));
});
