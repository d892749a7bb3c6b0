import { instant } from "@millrace/protocol/ids";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idFromWords } from "../../src/base/id-bytes.ts";
import {
  attemptOf,
  behind,
  countKey,
  endOf,
  errorKey,
  idAfterTag,
  idAtEnd,
  idKey,
  namePrefix,
  purgeAtOf,
  purgeKey,
  purgeRange,
  rangeOf,
  readCountKey,
  siblingKey,
  statusPrefix,
  tags,
  withId,
} from "../../src/store/keyspace.ts";
import { idOf } from "./fixture-jobs.ts";

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const id = fc.tuple(u32, u32, u32, u32).map((words) => idFromWords(...words));
const u64 = fc.oneof(fc.integer({ min: 0, max: 2 ** 53 - 1 }), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }));
const name = fc
  .oneof(fc.constantFrom("a", "ab", "a/b", "é", "📬"), fc.string({ unit: "grapheme", minLength: 1 }))
  .filter((n) => !n.includes("\0"));

describe("keys", () => {
  it("have tags of their own", () => {
    const all = Object.values(tags);
    expect(new Set(all).size).toBe(all.length);
    expect(
      String.fromCharCode(...all)
        .split("")
        .sort()
        .join(""),
    ).toBe("ACEFGIKLMNPQSTUX");
  });

  it("sort as their ids do, and give them back", () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(Math.sign(Buffer.compare(idKey(tags.live, a), idKey(tags.live, b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(idAfterTag(idKey(tags.live, a))).toBe(a);
        expect(idAfterTag(siblingKey(tags.claim, idKey(tags.live, a)))).toBe(a);
        expect(idAtEnd(withId(statusPrefix("dead"), a))).toBe(a);
      }),
    );
  });

  it("of errors sort by attempt within a job, also where a byte overflows", () => {
    fc.assert(
      fc.property(id, u32, u32, (job, a, b) => {
        expect(Math.sign(Buffer.compare(errorKey(job, a), errorKey(job, b)))).toBe(Math.sign(a - b));
        expect(attemptOf(errorKey(job, a))).toBe(a);
      }),
    );
  });

  it("of purge marks sort by time, then id, over all 64 bits", () => {
    fc.assert(
      fc.property(u64, u64, id, id, (t1, t2, a, b) => {
        const order = t1 < t2 ? -1 : t1 > t2 ? 1 : a < b ? -1 : a > b ? 1 : 0;
        expect(Math.sign(Buffer.compare(purgeKey(t1, a), purgeKey(t2, b)))).toBe(order);
        expect(purgeAtOf(purgeKey(t1, a))).toBe(t1);
        expect(idAtEnd(purgeKey(t1, a))).toBe(a);
      }),
    );
  });

  it("of one name never fall into the range of another, not even of one that begins with it", () => {
    fc.assert(
      fc.property(name, name, id, (one, other, job) => {
        const { gte, lt } = rangeOf(namePrefix(tags.byQueue, one));
        const key = withId(namePrefix(tags.byQueue, other), job);
        expect(Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0).toBe(one === other);
      }),
    );
  });

  it("of counts give back their parts", () => {
    fc.assert(
      fc.property(fc.constantFrom("completed" as const, "dead" as const), name, name, (status, queue, type) => {
        expect(readCountKey(countKey(status, queue, type))).toEqual({ status, queue, type });
      }),
    );
    expect(readCountKey(Buffer.from("Nx\0"))).toBeUndefined();
    expect(readCountKey(Buffer.from("Nc"))).toBeUndefined();
  });
});

describe("ranges", () => {
  it("end behind every key with their prefix, also where the prefix ends in 255s", () => {
    expect(endOf(Buffer.from([0x45, 0xff, 0xff]))).toEqual(Buffer.from([0x46]));
    const last = idFromWords(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    const { gte, lt } = rangeOf(idKey(tags.error, last));
    expect(Buffer.compare(errorKey(last, 2 ** 32 - 1), lt)).toBe(-1);
    expect(Buffer.compare(errorKey(last, 0), gte)).toBe(1);
  });

  it("of purges include their instant and exclude the next, and go on right behind an entry", () => {
    const { gte, lt } = purgeRange(instant(1000), { purgeAt: 900, id: idOf(3) });
    const within = (key: Buffer) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0;
    expect(within(purgeKey(1000, idFromWords(0xffffffff, 0, 0, 0)))).toBe(true);
    expect(within(purgeKey(1001, idOf(0)))).toBe(false);
    expect(within(purgeKey(900, idOf(3)))).toBe(false);
    expect(within(purgeKey(900, idOf(4)))).toBe(true);
    expect(within(behind(purgeKey(900, idOf(3))))).toBe(true);
  });
});
