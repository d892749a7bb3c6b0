import { U64_MAX, u64 } from "@millrace/protocol/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterParameters, parseJobFilter, printJobFilter } from "../../src/http/filter-parameters.ts";
import { parseList, parseOrder, parseQuery, parseUnsigned } from "../../src/http/query.ts";
import { parseRange, parseRangeU64, printRange, U16_MAX } from "../../src/http/ranges.ts";

const known = new Set(["a", "limit", "order", ...filterParameters]);
const invalid = expect.objectContaining({ code: "INVALID_QUERY" });

function parse(text: string): Record<string, string> {
  return Object.fromEntries(parseQuery(text, known));
}

describe("a query", () => {
  it("is decoded: percent-encoding, and + as a space", () => {
    expect(parse("a=x+y%2B%26%C3%A9")).toEqual({ a: "x y+&é" });
    expect(parse("a")).toEqual({ a: "" });
    expect(parse("%61=1")).toEqual({ a: "1" });
    expect(parse("a=b=c")).toEqual({ a: "b=c" });
  });

  it("may be empty", () => {
    expect(parse("")).toEqual({});
    expect(parse("&")).toEqual({});
  });

  it.each(["b=1", "a=1&a=2", "a=1&a=1", "a=%", "a=%ff", "A=1", "=1"])("is refused when it is %j", (text) => {
    expect(() => parse(text)).toThrow(invalid);
  });

  it("is refused when it filters by what is not built, but not when that filter is empty", () => {
    for (const name of ["filter", "budgets.key", "group", "tags", "config_key", "phase", "reason"]) {
      expect(() => parse(`${name}=x`)).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
      expect(parse(`${name}=`)).toEqual({ [name]: "" });
    }
  });
});

describe("a list", () => {
  it("drops empty parts and repeats", () => {
    expect(parseList("a,,b,a,")).toEqual(new Set(["a", "b"]));
  });

  it.each([undefined, "", ","])("is not given when it is %j", (text) => {
    expect(parseList(text)).toBeUndefined();
  });
});

describe("a number and an order", () => {
  it("are within their bounds", () => {
    expect(parseUnsigned(parseQuery("limit=2000", known), "limit", 1, 2000)).toBe(2000);
    expect(parseUnsigned(parseQuery("", known), "limit", 1, 2000)).toBeUndefined();
    for (const text of ["0", "2001", "-1", "1.5", "1e3", "x", "", "0x10", "99999999999999999999"]) {
      expect(() => parseUnsigned(parseQuery(`limit=${text}`, known), "limit", 1, 2000)).toThrow(invalid);
    }
    expect(parseOrder(parseQuery("", known))).toBe("asc");
    expect(parseOrder(parseQuery("order=desc", known))).toBe("desc");
    expect(() => parseOrder(parseQuery("order=DESC", known))).toThrow(invalid);
    expect(() => parseOrder(parseQuery("order=", known))).toThrow(invalid);
  });
});

describe("a range", () => {
  it.each([
    ["7", { min: 7, max: 7 }],
    ["3..9", { min: 3, max: 9 }],
    ["..9", { min: 0, max: 9 }],
    ["3..", { min: 3, max: 65535 }],
    ["..", { min: 0, max: 65535 }],
    ["", undefined],
    [undefined, undefined],
  ])("%j is %j", (text, range) => {
    expect(parseRange("priority", text, U16_MAX)).toEqual(range);
  });

  it.each([
    "9..3",
    "-1",
    "-1..3",
    "65536",
    "..65536",
    "a",
    "1..b",
    "1...2",
    "1..2..3",
    ".",
    " 1",
    "1.5",
    "9".repeat(50),
  ])("%j is refused", (text) => {
    expect(() => parseRange("priority", text, U16_MAX)).toThrow(invalid);
  });

  it("holds the whole of u64 exactly", () => {
    expect(parseRangeU64("ready_at", "18446744073709551615")).toEqual({ min: U64_MAX, max: U64_MAX });
    expect(parseRangeU64("ready_at", "9007199254740993..")).toEqual({ min: 9007199254740993n, max: U64_MAX });
    expect(() => parseRangeU64("ready_at", "18446744073709551616")).toThrow(invalid);
  });

  it("prints in its shortest form", () => {
    expect(printRange({ min: 7, max: 7 }, U16_MAX)).toBe("7");
    expect(printRange({ min: 0, max: 0 }, U16_MAX)).toBe("0");
    expect(printRange({ min: 0, max: 65535 }, U16_MAX)).toBe("..65535");
    expect(printRange({ min: 1, max: 65535 }, U16_MAX)).toBe("1..");
    expect(printRange({ min: 1, max: 9 }, U16_MAX)).toBe("1..9");
  });

  it("reads back what it prints", () => {
    const end = fc.bigInt({ min: 0n, max: U64_MAX });
    fc.assert(
      fc.property(end, end, (a, b) => {
        const range = a <= b ? { min: u64(a), max: u64(b) } : { min: u64(b), max: u64(a) };
        expect(parseRangeU64("ready_at", printRange(range, U64_MAX))).toEqual(range);
      }),
    );
  });
});

describe("a filter of jobs", () => {
  const id = "03fr82s077azjmurys29qjch4";

  it("takes every parameter", () => {
    const query = `id=${id}&status=ready,in_flight&queue=b,a&type=t&priority=..5&ready_at=7&attempts=1..`;
    expect(parseJobFilter(parseQuery(query, known))).toEqual({
      ids: new Set([id]),
      statuses: new Set(["ready", "in_flight"]),
      queues: new Set(["b", "a"]),
      types: new Set(["t"]),
      priority: { min: 0, max: 5 },
      readyAt: { min: 7, max: 7 },
      attempts: { min: 1, max: 2 ** 32 - 1 },
    });
  });

  it("has no member for what is not given or empty", () => {
    expect(parseJobFilter(parseQuery("id=&status=&queue=&type=,&priority=&filter=", known))).toEqual({});
  });

  it("does not check the names of queues and types", () => {
    expect(parseJobFilter(parseQuery("queue=*%00", known)).queues).toEqual(new Set(["*\0"]));
  });

  it.each([`id=${id}x`, `id=${id.toUpperCase()}`, "id=x", `id=${id},x`, "status=failed", "status=ready,Ready"])(
    "is refused when it is %j",
    (text) => {
      expect(() => parseJobFilter(parseQuery(text, known))).toThrow(invalid);
    },
  );

  it("prints sorted and encoded, in the order of links", () => {
    const query = `attempts=..&priority=3&id=${id}&type=z,a%23&queue=b%26c,a+d&status=ready,dead`;
    expect(printJobFilter(parseJobFilter(parseQuery(query, known)))).toEqual([
      "status=dead,ready",
      "queue=a%20d,b%26c",
      "type=a%23,z",
      `id=${id}`,
      "priority=3",
      "attempts=..4294967295",
    ]);
  });
});
