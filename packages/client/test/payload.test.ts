import { describe, expect, test } from "vitest";
import { plainPayload } from "../src/payload.ts";

describe("a payload that is JSON already", () => {
  test.each([null, true, 0, -1.5, "", "héllo 🌊", [], {}, { a: [1, { b: null }] }, 2n ** 64n - 1n, -(2n ** 63n)])(
    "is passed on as it is: %s",
    (payload) => {
      expect(plainPayload(payload)).toBe(payload);
    },
  );
});

describe("a payload that JSON has a form for takes that form", () => {
  test("a Date becomes its ISO text, at any depth", () => {
    const at = new Date(0);
    expect(plainPayload({ list: [at] })).toEqual({ list: ["1970-01-01T00:00:00.000Z"] });
  });

  test("an object's undefined members and symbol keys are left out", () => {
    expect(plainPayload({ a: 1, b: undefined, [Symbol("s")]: 1 })).toEqual({ a: 1 });
    expect(Object.keys(plainPayload({ b: undefined }) as object)).toEqual([]);
  });

  test("an instance becomes its own members, and toJSON() is asked once", () => {
    class Point {
      x = 1;
      #y = 2;
      sum = () => this.#y;
    }
    class Money {
      toJSON() {
        return { cents: 5, toJSON: undefined };
      }
    }
    expect(() => plainPayload(new Point())).toThrow("payload.sum is a function");
    expect(plainPayload({ price: new Money() })).toEqual({ price: { cents: 5 } });
  });

  test("the caller's own object is not touched", () => {
    const payload = { at: new Date(0), rest: { a: undefined } };
    plainPayload(payload);
    expect(payload.at).toBeInstanceOf(Date);
    expect(payload.rest).toHaveProperty("a");
  });
});

describe("a payload that JSON would lose or change is refused with its place", () => {
  const self: Record<string, unknown> = {};
  self["self"] = self;

  test.each<[string, unknown, string]>([
    ["undefined", undefined, "payload is undefined"],
    ["a function", { run: () => 1 }, "payload.run is a function"],
    ["a symbol", [Symbol("s")], "payload[0] is a symbol"],
    ["an undefined element", { list: [1, undefined] }, "payload.list[1] is undefined"],
    ["NaN", { n: Number.NaN }, "payload.n is NaN"],
    ["infinity", [Number.POSITIVE_INFINITY], "payload[0] is Infinity"],
    ["a wide bigint", { n: 2n ** 64n }, "payload.n is a bigint of more than 64 bits"],
    ["a Map", { m: new Map() }, "payload.m is a Map"],
    ["a Set", new Set(), "payload is a Set"],
    ["a Buffer", { file: Buffer.from("x") }, "payload.file is a Buffer"],
    ["a typed array", new Float64Array(1), "payload is a Float64Array"],
    ["a RegExp", /x/, "payload is a RegExp"],
    ["an Error", new Error("x"), "payload is a Error"],
    ["a Promise", { p: Promise.resolve() }, "payload.p is a Promise"],
    ["an invalid Date", { at: new Date(Number.NaN) }, "payload.at is an invalid Date"],
    ["half a surrogate pair", { s: "\ud83c" }, "payload.s holds half a surrogate pair"],
    ["a cycle", self, "contains itself"],
  ])("%s", (_, payload, text) => {
    expect(() => plainPayload(payload)).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
    expect(() => plainPayload(payload)).toThrow(text);
  });
});
