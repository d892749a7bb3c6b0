import { describe, expect, test } from "vitest";
import { Indexes } from "../../src/index/indexes.ts";
import { sampleId, scheduled } from "./sample-jobs.ts";

function dueOrder(indexes: Indexes): [id: string, at: number][] {
  const order: [string, number][] = [];
  for (let due = indexes.firstDue(); due !== undefined; due = indexes.firstDue()) {
    order.push([indexes.read(due.slot).id, due.at]);
    indexes.remove(due.slot);
  }
  return order;
}

describe("scheduled jobs", () => {
  test("come due by time, those of one instant by id", () => {
    const indexes = new Indexes();
    for (const [place, at] of [
      [4, 9],
      [1, 9],
      [3, 2 ** 33],
      [2, 2 ** 32 - 1],
      [5, 0],
    ] as const) {
      indexes.publish(scheduled(place, at));
    }
    const expected = [
      [5, 0],
      [1, 9],
      [4, 9],
      [2, 2 ** 32 - 1],
      [3, 2 ** 33],
    ] as const;
    expect(dueOrder(indexes)).toEqual(expected.map(([place, at]) => [sampleId(place), at]));
    expect(indexes.firstDue()).toBeUndefined();
  });

  test("move when their time is changed, earlier or later", () => {
    const indexes = new Indexes();
    const slots = [10, 20, 30].map((at, place) => indexes.publish(scheduled(place, at)));
    indexes.change(slots[2] ?? -1, scheduled(2, 5));
    expect(indexes.firstDue()).toEqual({ slot: slots[2], at: 5 });
    indexes.change(slots[2] ?? -1, scheduled(2, 15));
    expect(indexes.firstDue()).toEqual({ slot: slots[0], at: 10 });
    indexes.remove(slots[0] ?? -1);
    expect(indexes.firstDue()).toEqual({ slot: slots[2], at: 15 });
    expect(indexes.verify([scheduled(1, 20), scheduled(2, 15)])).toEqual([]);
  });

  test("that lie beyond what a double holds come last, by id", () => {
    const indexes = new Indexes();
    indexes.publish(scheduled(2, 2n ** 64n - 1n));
    indexes.publish(scheduled(3, 2n ** 53n));
    indexes.publish(scheduled(1, 2n ** 63n));
    expect(dueOrder(indexes).map(([id]) => id)).toEqual([1, 2, 3].map(sampleId));
  });
});
