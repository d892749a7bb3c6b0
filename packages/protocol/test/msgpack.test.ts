import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMsgpack, encodeMsgpack } from "../src/msgpack.ts";
import { anyJson } from "./arbitrary-json.ts";

test("what is encoded decodes to the same", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(decodeMsgpack(encodeMsgpack(value))).toEqual(value);
    }),
  );
});

test.each([
  [0, "00"],
  [127, "7f"],
  [128, "cc80"],
  [255, "ccff"],
  [256, "cd0100"],
  [65_535, "cdffff"],
  [65_536, "ce00010000"],
  [2 ** 32 - 1, "ceffffffff"],
  [-1, "ff"],
  [-32, "e0"],
  [-33, "d0df"],
  [-129, "d1ff7f"],
  [-32_769, "d2ffff7fff"],
  [5n, "05"],
  [-(2n ** 63n), "d38000000000000000"],
  [2n ** 64n - 1n, "cfffffffffffffffff"],
  [1.5, "cb3ff8000000000000"],
  [{ a: 1 }, "81a16101"],
  [[], "90"],
  [null, "c0"],
])("%s is encoded in the fewest bytes", (value, hex) => {
  expect(Buffer.from(encodeMsgpack(value)).toString("hex")).toBe(hex);
});

test.each([
  [1773464269527, 9],
  [2 ** 32, 9],
  [Number.MAX_SAFE_INTEGER, 9],
  [Number.MIN_SAFE_INTEGER, 9],
])("the wide integer %i stays an integer", (value, bytes) => {
  const encoded = encodeMsgpack(value);
  expect(encoded).toHaveLength(bytes);
  expect([0xcf, 0xd3]).toContain(encoded[0]);
  expect(decodeMsgpack(encoded)).toBe(value);
});

test("64-bit integers are bigints only beyond 2^53 - 1, whatever their encoding", () => {
  expect(decodeMsgpack(Buffer.from("cf0000000000000005", "hex"))).toBe(5);
  expect(decodeMsgpack(Buffer.from("cf001fffffffffffff", "hex"))).toBe(Number.MAX_SAFE_INTEGER);
  expect(decodeMsgpack(Buffer.from("cf0020000000000000", "hex"))).toBe(2n ** 53n);
  expect(decodeMsgpack(Buffer.from("d3ffffffffffffffff", "hex"))).toBe(-1);
});

test("a key __proto__ is an ordinary key", () => {
  const value = decodeMsgpack(encodeMsgpack(JSON.parse('{"__proto__":1}')));
  expect(Object.entries(value as object)).toEqual([["__proto__", 1]]);
});

test("undefined members are left out", () => {
  expect(decodeMsgpack(encodeMsgpack({ a: undefined, b: 1 }))).toEqual({ b: 1 });
});

test.each([
  ["a key that is not a string", "810102"],
  ["a bin value", "c40101"],
  ["a timestamp", "d6ff00000000"],
  ["an unknown ext value", "d40501"],
  ["bytes that end too early", "92"],
  ["more bytes than one value", "0101"],
  ["no bytes", ""],
  ["the byte that means nothing", "c1"],
])("%s is refused with MALFORMED_BODY", (_, hex) => {
  expect(() => decodeMsgpack(Buffer.from(hex, "hex"))).toThrowError(
    expect.objectContaining({ code: "MALFORMED_BODY" }),
  );
});

test.each([[Number.NaN], [undefined], [2n ** 64n], [() => 1]])("%s is refused with INVALID_FIELD", (value) => {
  expect(() => encodeMsgpack([value])).toThrowError(expect.objectContaining({ code: "INVALID_FIELD" }));
});
