import { decodeMsgpack, encodeMsgpack } from "@millrace/protocol/msgpack";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { MsgpackCursor } from "../../src/base/msgpack-scan.ts";

const malformed = expect.objectContaining({ code: "MALFORMED_BODY" });

function scan(bytes: Buffer): void {
  const cursor = new MsgpackCursor(bytes);
  cursor.skip();
  cursor.end();
}

function nested(depth: number): Buffer {
  return Buffer.concat([Buffer.alloc(depth - 1, 0x91), Buffer.of(0x90)]);
}

const anyValue = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });

describe("the MessagePack scanner", () => {
  test("accepts what an encoder writes, and nothing that is shorter or longer", () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const bytes = Buffer.from(encodeMsgpack(value));
        scan(bytes);
        expect(new MsgpackCursor(bytes).value()).toEqual(decodeMsgpack(bytes));
        expect(() => scan(bytes.subarray(0, cut % bytes.length))).toThrowError(malformed);
        expect(() => scan(Buffer.concat([bytes, Buffer.of(0xc0)]))).toThrowError(malformed);
      }),
    );
  });

  test("never reads beyond any bytes, and refuses with nothing but MALFORMED_BODY", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          scan(Buffer.from(bytes));
        } catch (error) {
          expect(error).toEqual(malformed);
          return;
        }
        expect(() => decodeMsgpack(bytes)).not.toThrow();
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ["cc80", 128],
    ["cd0100", 256],
    ["ceffffffff", 2 ** 32 - 1],
    ["cf0000000000000007", 7],
    ["cfffffffffffffffff", 2n ** 64n - 1n],
    ["d080", -128],
    ["d18000", -32_768],
    ["d280000000", -(2 ** 31)],
    ["d3ffffffffffffffff", -1],
    ["d38000000000000000", -(2n ** 63n)],
    ["d30000000000000007", 7],
    ["e0", -32],
    ["7f", 127],
    ["ca3fc00000", 1.5],
    ["cb3ff8000000000000", 1.5],
    ["d90161", "a"],
    ["da000161", "a"],
    ["db0000000161", "a"],
    ["c0", null],
    ["c2", false],
    ["c3", true],
    ["dc000101", [1]],
    ["dd0000000101", [1]],
    ["de0001a16101", { a: 1 }],
    ["df00000001a16101", { a: 1 }],
  ])("reads %s", (hex, value) => {
    const bytes = Buffer.from(hex, "hex");
    expect(new MsgpackCursor(bytes).value()).toEqual(value);
    scan(bytes);
  });

  test.each([
    ["bin", "c40101"],
    ["bin within a map", "81a161c400"],
    ["ext", "d4017f"],
    ["a timestamp", "d6ff00000000"],
    ["the byte that means nothing", "c1"],
    ["a key that is a number", "810101"],
    ["a key that is nil", "81c001"],
    ["NaN", "cb7ff8000000000000"],
    ["infinity", "91cb7ff0000000000000"],
    ["infinity in single precision", "caff800000"],
    ["a string that is not UTF-8", "a1ff"],
    ["a surrogate as bytes", "a3eda080"],
    ["a map that promises more than there is", "dfffffffff"],
    ["a string that promises more than there is", "dbffffffff61"],
  ])("refuses %s", (_, hex) => {
    expect(() => scan(Buffer.from(hex, "hex"))).toThrowError(malformed);
  });

  test("refuses a long string that is not UTF-8", () => {
    const bytes = Buffer.from(encodeMsgpack("x".repeat(1000)));
    bytes[500] = 0xff;
    expect(() => scan(bytes)).toThrowError(malformed);
  });

  test("holds nesting to its limit, walked or skipped", () => {
    scan(nested(limits.nestingMax));
    expect(() => scan(nested(limits.nestingMax + 1))).toThrowError(malformed);
    expect(() => scan(nested(1_000_000))).toThrowError(malformed);
    const cursor = new MsgpackCursor(nested(limits.nestingMax + 1));
    const walk = () => {
      while (cursor.enterArray()) cursor.nextItem();
    };
    expect(walk).toThrowError(malformed);
  });

  test("copies what is not changed by what happens to the document later", () => {
    const body = Buffer.from(encodeMsgpack(["a", { b: 1 }]));
    const cursor = new MsgpackCursor(body);
    cursor.enterArray();
    const copies: Buffer[] = [];
    while (cursor.nextItem()) copies.push(cursor.copy());
    cursor.end();
    body.fill(0);
    expect(copies.map(decodeMsgpack)).toEqual(["a", { b: 1 }]);
  });
});
