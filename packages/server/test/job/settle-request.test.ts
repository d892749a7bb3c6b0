import { describe, expect, test } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { parseAcks, parseFailure, parseSuccessBody } from "../../src/job/settle-request.ts";
import { encode, formats } from "./request-formats.ts";

const bounds = { bulkItemsMax: 3 };

function refused(code: string, message: string, details: object = {}): unknown {
  return expect.objectContaining({ code, message: expect.stringContaining(message), details });
}

describe.each(formats)("a bulk success in %s", (format) => {
  const parse = (body: unknown) => parseAcks(encode(body, format), format, bounds);

  test("names ids, of any form and repeated", () => {
    const ids = ["03fr82s077azjmurys29qjch4", "x", "x"];
    expect(parse({ ids, acks: null })).toEqual(ids.map((id) => ({ id, delivery: undefined })));
  });

  test("names ids with their deliveries", () => {
    const acks = [{ id: "a", delivery: "d1" }, { id: "b" }, { id: "c", delivery: null, result: null, other: [1] }];
    expect(parse({ acks })).toEqual([
      { id: "a", delivery: "d1" },
      { id: "b", delivery: undefined },
      { id: "c", delivery: undefined },
    ]);
  });

  test.each([
    [{}, "ids is required", {}],
    [{ ids: null }, "ids is required", {}],
    [{ ids: [] }, "ids must not be empty", {}],
    [{ acks: [] }, "acks must not be empty", {}],
    [{ ids: ["a"], acks: [{ id: "a" }] }, "ids and acks must not both be given", {}],
    [{ ids: "a" }, "ids must be an array", {}],
    [{ ids: ["a", 5] }, "ids[1] must be a string", { index: 1 }],
    [{ acks: ["a"] }, "acks[0] must be an object", { index: 0 }],
    [{ acks: [{ id: "a" }, {}] }, "acks[1] needs an id", { index: 1 }],
    [{ acks: [{ id: "a", delivery: 7 }] }, "acks[0] has a delivery that is no string", { index: 0 }],
    [["a"], "the body must be an object", {}],
    [null, "the body must be an object", {}],
  ])("refuses %j", (body, message, details) => {
    expect(() => parse(body)).toThrowError(refused("INVALID_FIELD", message, details));
  });

  test("refuses a result, which is not built", () => {
    expect(() => parse({ acks: [{ id: "a", result: 1 }] })).toThrowError(refused("NOT_SUPPORTED", "acks[0].result"));
  });

  test("has a limit of members, which 0 turns off", () => {
    const ids = ["a", "b", "c", "d"];
    expect(parse({ ids: ids.slice(1) })).toHaveLength(3);
    expect(() => parse({ ids })).toThrowError(refused("TOO_MANY_ITEMS", "ids must not have more than 3"));
    expect(parseAcks(encode({ ids }, format), format, { bulkItemsMax: 0 })).toHaveLength(4);
  });

  test("is malformed rather than wrong when both are true", () => {
    const body = encode({ ids: [5], more: "x" }, format);
    expect(() => parseAcks(body.subarray(0, -1), format, bounds)).toThrowError(refused("MALFORMED_BODY", ""));
  });
});

describe.each(formats)("a single success in %s", (format) => {
  const parse = (body: unknown) => parseSuccessBody(encode(body, format), format);

  test("may have no body, an empty object, or a delivery", () => {
    expect(parseSuccessBody(Buffer.alloc(0), format)).toEqual({});
    expect(parse({})).toEqual({});
    expect(parse({ delivery: null, result: null })).toEqual({});
    expect(parse({ delivery: "d1", unknown: 1 })).toEqual({ delivery: "d1" });
  });

  test("refuses what is wrong or not built", () => {
    expect(() => parse({ delivery: 1 })).toThrowError(refused("INVALID_FIELD", "delivery must be a string"));
    expect(() => parse([])).toThrowError(refused("INVALID_FIELD", "the body must be an object"));
    expect(() => parse({ result: false })).toThrowError(refused("NOT_SUPPORTED", "result is not supported"));
  });
});

describe.each(formats)("a failure in %s", (format) => {
  const parse = (body: unknown) => parseFailure(encode(body, format), format);

  test("needs a message only", () => {
    expect(parse({ message: "" })).toEqual({ failure: { message: "", kill: false } });
    const nulls = { error_type: null, backtrace: null, retry_at: null, kill: null, delivery: null };
    expect(parse({ message: "no\0", ...nulls })).toEqual({ failure: { message: "no\0", kill: false } });
  });

  test("may say all there is to say", () => {
    const body = {
      message: "m",
      error_type: "E",
      backtrace: "a\nb",
      retry_at: 2n ** 64n - 1n,
      kill: true,
      delivery: "d",
    };
    expect(parse(body)).toEqual({
      failure: { message: "m", errorType: "E", backtrace: "a\nb", retryAt: 2n ** 64n - 1n, kill: true },
      delivery: "d",
    });
  });

  test.each([
    [{}, "message is required"],
    [{ message: null }, "message is required"],
    [{ message: 5 }, "message must be a string"],
    [{ message: "m", error_type: 1 }, "error_type must be a string"],
    [{ message: "m", backtrace: ["a"] }, "backtrace must be a string"],
    [{ message: "m", retry_at: -1 }, "retry_at must be an integer from 0 to 18446744073709551615"],
    [{ message: "m", kill: 1 }, "kill must be true or false"],
    [{ message: "m", delivery: 1 }, "delivery must be a string"],
    ["m", "the body must be an object"],
  ])("refuses %j", (body, message) => {
    expect(() => parse(body)).toThrowError(refused("INVALID_FIELD", message));
  });

  test.each([
    ["message", "message", limits.errorMessageBytesMax],
    ["error_type", "errorType", limits.errorTypeBytesMax],
    ["backtrace", "backtrace", limits.backtraceBytesMax],
  ] as const)("has its %s cut at a character", (field, member, bytesMax) => {
    const cut = (text: string) => parse({ message: "m", [field]: text }).failure[member] ?? "";
    const fitting = "x".repeat(bytesMax);
    expect(cut(fitting)).toBe(fitting);
    expect(cut(`${fitting}x`)).toBe(`${"x".repeat(bytesMax - 3)}…`);
    const wide = cut("😀".repeat(bytesMax / 4 + 1));
    expect(wide).toBe(`${"😀".repeat(bytesMax / 4 - 1)}…`);
  });
});

test("half surrogate pairs in the texts of a failure are replaced, not refused", () => {
  const body = Buffer.from('{"message":"a\\ud83d","backtrace":"\\ude00b\\ud83d\\ude00","note":"\\ud800"}');
  expect(parseFailure(body, "json").failure).toEqual({ message: "a\ufffd", backtrace: "\ufffdb😀", kill: false });
});
