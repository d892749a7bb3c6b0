import { parseJson, stringifyJson } from "@millrace/protocol/json";
import { decodeMsgpack, encodeMsgpack } from "@millrace/protocol/msgpack";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson } from "../../../protocol/test/arbitrary-json.ts";
import { JsonCursor } from "../../src/base/json-scan.ts";
import { limits } from "../../src/base/limits.ts";
import { jsonToMsgpack, msgpackToJson } from "../../src/base/transcode.ts";

const floats = fc.double({ noNaN: true, noDefaultInfinity: true });

test("JSON comes back from MessagePack as the same text", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const json = stringifyJson(value);
      expect(msgpackToJson(jsonToMsgpack(Buffer.from(json))).toString()).toBe(json);
    }),
  );
});

test("MessagePack comes back from JSON as the same value", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const bytes = Buffer.from(encodeMsgpack(value));
      expect(decodeMsgpack(jsonToMsgpack(msgpackToJson(bytes)))).toEqual(value);
    }),
  );
});

test("both formats hold the same value", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(decodeMsgpack(jsonToMsgpack(Buffer.from(stringifyJson(value))))).toEqual(value);
      expect(parseJson(msgpackToJson(Buffer.from(encodeMsgpack(value))))).toEqual(value);
    }),
  );
});

test("doubles keep every bit", () => {
  fc.assert(
    fc.property(floats, (value) => {
      const bytes = Buffer.alloc(9, 0xcb);
      bytes.writeDoubleBE(value, 1);
      const json = msgpackToJson(bytes);
      new JsonCursor(json).skip();
      expect(jsonToMsgpack(json)).toEqual(bytes);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["0", "00"],
  ["-0", "cb8000000000000000"],
  ["1.0", "cb3ff0000000000000"],
  ["1e2", "cb4059000000000000"],
  ["9007199254740993", "cf0020000000000001"],
  ["-9007199254740993", "d3ffdfffffffffffff"],
  ["18446744073709551615", "cfffffffffffffffff"],
  ["18446744073709551616", "cb43f0000000000000"],
  ["-9223372036854775808", "d38000000000000000"],
  ["-9223372036854775809", "cbc3e0000000000000"],
  ["4294967296", "cf0000000100000000"],
  ["-2147483649", "d3ffffffff7fffffff"],
  ['"\\u0000\\n"', "a2000a"],
  ['"\\ud83d\\ude00"', "a4f09f9880"],
  ['{"b":1,"a":2,"b":3}', "83a16201a16102a16203"],
  [" [ ] ", "90"],
])("JSON %s is MessagePack %s", (json, hex) => {
  expect(jsonToMsgpack(Buffer.from(json)).toString("hex")).toBe(hex);
});

test.each([
  ["cb8000000000000000", "-0.0"],
  ["cb3ff0000000000000", "1.0"],
  ["ca3fc00000", "1.5"],
  ["cb44b52d02c7e14af6", "1e+23"],
  ["d3ffdfffffffffffff", "-9007199254740993"],
  ["a2000a", '"\\u0000\\n"'],
  ["a3e280a8", '"\u2028"'],
  ["83a16201a16102a16203", '{"b":1,"a":2,"b":3}'],
  ["81a95f5f70726f746f5f5f80", '{"__proto__":{}}'],
])("MessagePack %s is JSON %s", (hex, json) => {
  expect(msgpackToJson(Buffer.from(hex, "hex")).toString()).toBe(json);
});

test("lengths around every change of encoding survive", () => {
  for (const size of [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536]) {
    const json = JSON.stringify({ text: "é".repeat(size), items: new Array(size).fill(null) });
    expect(msgpackToJson(jsonToMsgpack(Buffer.from(json))).toString()).toBe(json);
  }
});

test("the deepest nesting survives", () => {
  const depth = limits.nestingMax / 2;
  const json = `${'[{"a":'.repeat(depth)}1${"}]".repeat(depth)}`;
  expect(msgpackToJson(jsonToMsgpack(Buffer.from(json))).toString()).toBe(json);
});
