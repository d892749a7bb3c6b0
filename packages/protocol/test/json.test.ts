import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "../src/json.ts";
import { anyJson } from "./arbitrary-json.ts";

describe("parseJson", () => {
  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        // Printed again, the exact integers lose their exactness only in JSON.parse.
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("refuses what JSON.parse refuses, also when long integers call for the exact parser", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\u00e9",
      "\\ud83d",
      "-",
      "0",
      "1.5",
      "e",
      "tru",
      "null",
      " ",
      "\n",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), pieces, fc.nat(), fc.boolean(), (json, piece, place, overwrites) => {
        const text = `[12345678901234567,${json}]`;
        const at = place % text.length;
        const mutated = text.slice(0, at) + piece + text.slice(overwrites ? at + 1 : at);
        expect(accepts(() => parseJson(mutated))).toBe(accepts(() => JSON.parse(mutated)));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["18446744073709551615", 18446744073709551615n],
    ["-9223372036854775808", -9223372036854775808n],
    ["-9007199254740991", -9007199254740991],
    ["0.1234567890123456", 0.1234567890123456],
    ["12345678901234567.5", 12345678901234568],
    ["12345678901234567e0", 12345678901234568],
    [`1${"0".repeat(1000)}`, Number.POSITIVE_INFINITY],
    ['"12345678901234567890"', "12345678901234567890"],
  ])("reads %s exactly", (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(` { "a" : [ ${text} , 1234567890123456789 ] } `)).toEqual({ a: [value, 1234567890123456789n] });
  });

  test("keeps a key __proto__ as an ordinary key", () => {
    const value = parseJson('{"__proto__":{"x":12345678901234567},"y":1}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "y"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("takes the last of repeated keys", () => {
    expect(parseJson('{"a":1,"a":12345678901234567}')).toEqual({ a: 12345678901234567n });
  });

  test("refuses bytes that are not UTF-8, a byte order mark and too deep nesting with MALFORMED_BODY", () => {
    const malformed = expect.objectContaining({ code: "MALFORMED_BODY" });
    expect(() => parseJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrowError(malformed);
    expect(() => parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toThrowError(malformed);
    expect(() => parseJson(`${"[".repeat(2000)}12345678901234567${"]".repeat(2000)}`)).toThrowError(malformed);
  });
});

describe("stringifyJson", () => {
  test("and parseJson are inverse", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(parseJson(stringifyJson(value))).toEqual(value);
      }),
    );
  });

  test("writes bigints as integers", () => {
    expect(stringifyJson({ a: 18446744073709551615n, b: [-1n], c: "x" })).toBe(
      '{"a":18446744073709551615,"b":[-1],"c":"x"}',
    );
  });

  test("asks toJSON and leaves undefined members out", () => {
    expect(stringifyJson({ at: new Date(0), gone: undefined, big: 1n })).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","big":1}',
    );
  });

  test("takes the members of a class's instance", () => {
    class Point {
      readonly x = 1;
      readonly y = 2n;
    }
    expect(stringifyJson(new Point())).toBe('{"x":1,"y":2}');
  });

  test.each([
    [undefined, "the value is undefined"],
    [{ a: [1, undefined] }, "a[1] is undefined"],
    [{ a: { b: Number.NaN } }, "a.b is NaN"],
    [[Number.POSITIVE_INFINITY], "[0] is Infinity"],
    [{ run: () => 1 }, "run is a function"],
    [{ s: Symbol("x") }, "s is a symbol"],
  ])("refuses %j by its path", (value, message) => {
    expect(() => stringifyJson(value)).toThrowError(
      expect.objectContaining({ code: "INVALID_FIELD", message: expect.stringContaining(message) }),
    );
  });

  test("refuses a value that contains itself", () => {
    const loop: Record<string, unknown> = {};
    loop["again"] = loop;
    expect(() => stringifyJson(loop)).toThrowError(
      expect.objectContaining({ code: "INVALID_FIELD", message: expect.stringContaining("contains itself") }),
    );
  });
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
