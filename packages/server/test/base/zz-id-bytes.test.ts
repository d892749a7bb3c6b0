import { type JobId, parseJobId } from "@millrace/protocol/ids";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundOf, idFromBytes, idFromWords, idToBytes, idToWords } from "../../src/base/id-bytes.ts";

const example = "03fr82s077azjmurys29qjch4" as JobId;
const largest = "f5lxx1zz5pnorynqglhzmsp33" as JobId;
const anyNumber = fc.bigInt(0n, 2n ** 128n - 1n);

function spell(value: bigint): JobId {
  return value.toString(36).padStart(25, "0") as JobId;
}

function bytesOf(id: JobId): Buffer {
  const bytes = Buffer.alloc(16);
  idToBytes(id, bytes, 0);
  return bytes;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

test("the example of the contract holds its time", () => {
  expect(bytesOf(example).readUIntBE(0, 6)).toBe(1773464269527);
});

test("text, bytes and words are the same number", () => {
  fc.assert(
    fc.property(anyNumber, fc.integer({ min: 0, max: 5 }), (value, offset) => {
      const id = spell(value);
      const bytes = Buffer.alloc(16 + offset);
      idToBytes(id, bytes, offset);
      expect(numberOf(bytes.subarray(offset))).toBe(value);
      expect(idFromBytes(bytes, offset)).toBe(id);
      const words = new Uint32Array(4 + offset);
      idToWords(id, words, offset);
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words.subarray(offset);
      expect([w0, w1, w2, w3]).toEqual([0, 4, 8, 12].map((at) => bytes.readUInt32BE(offset + at)));
      expect(idFromWords(w0, w1, w2, w3)).toBe(id);
    }),
    { numRuns: 60000 },
  );
});

test("the ends of all numbers are the same number in every spelling", () => {
  for (const id of [spell(0n), spell(1n), spell(2n ** 32n), spell(2n ** 96n - 1n), largest]) {
    expect(idFromBytes(bytesOf(id), 0)).toBe(id);
  }
});

test("a text of the right form beyond 128 bits becomes the largest number, not one that another id has", () => {
  for (const text of ["f5lxx1zz5pnorynqglhzmsp34", "f5lxx1zz5pnorynqglhzmsp4a", "zzzzzzzzzzzzzzzzzzzzzzzzz"]) {
    expect(bytesOf(parseJobId(text) ?? example)).toEqual(Buffer.alloc(16, 0xff));
  }
});

describe("boundOf", () => {
  // Near each other, so that neighbours are met, and texts that are prefixes, too long, or hold other characters.
  const nearId = fc.bigInt(-40n, 40n).map((distance) => spell(36n ** 24n + distance));
  const anyText = fc.oneof(
    nearId,
    fc
      .tuple(nearId, fc.nat(25), fc.constantFrom("", "!", "0", "z", "A", "é", "~", "😀"))
      .map(([id, cut, end]) => id.slice(0, cut) + end),
    fc.string({ maxLength: 30 }),
  );

  test("meets exactly the ids that sort beyond the text, in either order", () => {
    fc.assert(
      fc.property(nearId, anyText, (id, text) => {
        const sorts = Buffer.compare(Buffer.from(id), Buffer.from(text));
        const position = (order: "asc" | "desc") => Buffer.compare(bytesOf(id), boundOf(text, order).bytes);
        expect(position("asc") > 0).toBe(sorts > 0);
        expect(position("desc") < 0).toBe(sorts < 0);
        if (sorts === 0) expect(boundOf(text)).toEqual({ bytes: bytesOf(id), exact: true });
      }),
      { numRuns: 60000 },
    );
  });

  test.each(["", "0", "ZZZ", "{", "zzzzzzzzzzzzzzzzzzzzzzzzz", `${example}x`, example.slice(1)])(
    "says that %j is no id",
    (text) => {
      const bound = boundOf(text);
      expect(bound.exact).toBe(false);
      expect(bound.bytes).toHaveLength(16);
    },
  );
});
