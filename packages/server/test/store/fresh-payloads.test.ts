import type { JobId } from "@millrace/protocol/ids";
import { expect, it } from "vitest";
import type { Payload } from "../../src/job/job.ts";
import { FreshPayloads } from "../../src/store/fresh-payloads.ts";

const id = (n: number) => String(n).padStart(25, "0") as JobId;
const payload = (bytes: number): Payload => ({ format: "json", bytes: Buffer.alloc(bytes, 49) });

it("gives a payload once", () => {
  const fresh = new FreshPayloads(10_000);
  const one = payload(100);
  fresh.add(id(1), one);
  expect(fresh.take(id(1))).toBe(one);
  expect(fresh.take(id(1))).toBeUndefined();
  expect(fresh.bytes).toBe(0);
});

it("keeps the older ones when it is full, and takes in new ones when some have gone", () => {
  const fresh = new FreshPayloads(1100);
  for (const n of [1, 2, 3]) fresh.add(id(n), payload(100));
  expect(fresh.take(id(3))).toBeUndefined();
  expect(fresh.take(id(1))).toBeDefined();
  fresh.add(id(4), payload(100));
  expect(fresh.take(id(4))).toBeDefined();
  expect(fresh.take(id(2))).toBeDefined();
  expect(fresh.bytes).toBe(0);
});

it("keeps nothing when it has no room at all", () => {
  const fresh = new FreshPayloads(0);
  fresh.add(id(1), payload(0));
  expect(fresh.take(id(1))).toBeUndefined();
});
