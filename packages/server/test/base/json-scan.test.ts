import { parseJson } from "@millrace/protocol/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonCursor } from "../../src/base/json-scan.ts";
import { limits } from "../../src/base/limits.ts";
import { hasLoneSurrogateEscape, nearlyJson } from "./broken-json.ts";

const malformed = expect.objectContaining({ code: "MALFORMED_BODY" });

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

function scan(bytes: Buffer): void {
  const cursor = new JsonCursor(bytes);
  cursor.skip();
  cursor.end();
}

function nested(depth: number): Buffer {
  return Buffer.from(`${"[".repeat(depth)}${"]".repeat(depth)}`);
}

describe("the JSON scanner", () => {
  test("accepts exactly what JSON.parse accepts, but for half surrogate pairs", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        // A half pair that is no escape cannot be written as UTF-8 at all.
        fc.pre(!/\p{Surrogate}/u.test(text));
        const expected = accepts(() => JSON.parse(text)) && !hasLoneSurrogateEscape(text);
        expect(accepts(() => scan(Buffer.from(text)))).toBe(expected);
        // A short document is not a short buffer: bytes after the end must not be looked at.
        const longer = Buffer.from(`${text}0}]"`);
        expect(accepts(() => scan(longer.subarray(0, Buffer.byteLength(text))))).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test("walks and skips alike: what it builds value by value is what JSON.parse builds", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        fc.pre(!/\p{Surrogate}/u.test(text) && accepts(() => JSON.parse(text)) && !hasLoneSurrogateEscape(text));
        const cursor = new JsonCursor(Buffer.from(text));
        expect(build(cursor)).toEqual(parseJson(text));
        cursor.end();
        expect(built(text)).toEqual(parseJson(text));
      }),
    );
  });

  test("walks and skips alike: both refuse the same documents", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const walks = accepts(() => {
          const cursor = new JsonCursor(Buffer.from(text));
          build(cursor);
          cursor.end();
        });
        expect(walks).toBe(accepts(() => scan(Buffer.from(text))));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["an overlong encoding", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate as bytes", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a lonely continuation", [0x22, 0x80, 0x22]],
    ["a character cut short", [0x22, 0xe2, 0x82, 0x22]],
    ["a code point beyond Unicode", [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x31]],
    ["nothing", []],
  ])("refuses %s", (_, bytes) => {
    expect(() => scan(Buffer.from(bytes))).toThrowError(malformed);
  });

  test("holds nesting to its limit, walked or skipped", () => {
    scan(nested(limits.nestingMax));
    build(new JsonCursor(nested(limits.nestingMax)));
    expect(() => scan(nested(limits.nestingMax + 1))).toThrowError(malformed);
    expect(() => build(new JsonCursor(nested(limits.nestingMax + 1)))).toThrowError(malformed);
    expect(() => scan(nested(1_000_000))).toThrowError(malformed);
  });

  test("says where a document is wrong", () => {
    expect(() => scan(Buffer.from('{"a":1,}'))).toThrowError('not JSON: unexpected "}" at byte 7');
    expect(() => scan(Buffer.from('"\u0001"'))).toThrowError("not JSON: unexpected 0x01 at byte 1");
    expect(() => scan(Buffer.from('{"a":'))).toThrowError("not JSON: the text ends too early");
  });

  test("reads integers exactly and everything else as JSON.parse does", () => {
    expect(built("[18446744073709551615,-0,1e400,1.5,7]")).toEqual([
      18446744073709551615n,
      -0,
      Number.POSITIVE_INFINITY,
      1.5,
      7,
    ]);
  });

  test("hands out half surrogate pairs only where they are asked for", () => {
    const bytes = Buffer.from('"a\\ud83db"');
    expect(() => new JsonCursor(bytes).value()).toThrowError(malformed);
    expect(new JsonCursor(bytes, { loneSurrogates: "keep" }).value()).toBe("a\ud83db");
  });

  test("tells texts apart that share a place in its cache", () => {
    const names = Array.from({ length: 2000 }, (_, i) => `queue-${i}é`.slice(0, i % 2 === 0 ? -1 : undefined));
    for (let round = 0; round < 2; round += 1)
      expect(build(new JsonCursor(Buffer.from(JSON.stringify(names))))).toEqual(names);
  });
});

describe("a copied value", () => {
  test("has the bytes as sent, white space included", () => {
    const cursor = new JsonCursor(Buffer.from('[ {"a" : [1,\t"x\\n"]} , 2]'));
    cursor.enterArray();
    cursor.nextItem();
    expect(cursor.copy().toString()).toBe('{"a" : [1,\t"x\\n"]}');
  });

  test("has no line breaks: white space with CR or LF is taken out, strings stay as they are", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), fc.constantFrom(1, "\r\n"), (value, indent) => {
        const copy = new JsonCursor(Buffer.from(`\n${JSON.stringify(value, null, indent)}\n`)).copy().toString();
        expect(copy).not.toMatch(/[\r\n]/);
        expect(JSON.parse(copy)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("is not changed by what happens to the document later", () => {
    const long = JSON.stringify("y".repeat(20_000));
    const body = Buffer.from(`[1,${long},"z",{"a":2}]`);
    const cursor = new JsonCursor(body);
    cursor.enterArray();
    const copies: Buffer[] = [];
    while (cursor.nextItem()) copies.push(cursor.copy());
    body.fill(0);
    expect(copies.map(String)).toEqual(["1", long, '"z"', '{"a":2}']);
  });
});

function built(text: string): unknown {
  return new JsonCursor(Buffer.from(text)).value();
}

/** The value, by walking. */
function build(cursor: JsonCursor): unknown {
  if (cursor.enterObject()) {
    const members: [string, unknown][] = [];
    for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) members.push([key, build(cursor)]);
    return Object.fromEntries(members);
  }
  if (cursor.enterArray()) {
    const items: unknown[] = [];
    while (cursor.nextItem()) items.push(build(cursor));
    return items;
  }
  return cursor.value();
}
