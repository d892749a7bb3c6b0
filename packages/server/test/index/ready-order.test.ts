import { describe, expect, test } from "vitest";
import { Indexes } from "../../src/index/indexes.ts";
import { inFlight, ready, requeued, sampleId, scheduled } from "./sample-jobs.ts";

function drain(indexes: Indexes, queues?: readonly string[]): string[] {
  const order: string[] = [];
  for (let slot = indexes.bestReady(queues); slot >= 0; slot = indexes.bestReady(queues)) {
    order.push(indexes.read(slot).id);
    indexes.remove(slot);
  }
  return order;
}

function filled(...places: readonly number[]): Indexes {
  const indexes = new Indexes();
  for (const place of places) indexes.publish(ready(place));
  return indexes;
}

function idsOf(...places: readonly number[]): string[] {
  return places.map(sampleId);
}

describe("the order in which jobs run", () => {
  test("is first in, first out within a priority", () => {
    expect(drain(filled(1, 2, 3, 4))).toEqual(idsOf(1, 2, 3, 4));
  });

  test("is by id also for jobs that came late", () => {
    expect(drain(filled(5, 9, 7, 1, 6, 8, 2))).toEqual(idsOf(1, 2, 5, 6, 7, 8, 9));
  });

  test("goes from priority 0 to 65535", () => {
    const indexes = new Indexes();
    for (const [place, priority] of [65_535, 0, 32_768, 1, 65_534].entries())
      indexes.publish(ready(place, { priority }));
    expect(drain(indexes)).toEqual(idsOf(1, 3, 2, 4, 0));
  });

  test("holds with every priority there is in use at once", () => {
    const indexes = new Indexes();
    const priorityOf = (place: number) => (place * 40_503) % 65_536;
    for (let place = 0; place < 65_536; place += 1) indexes.publish(ready(place, { priority: priorityOf(place) }));
    let expected = 0;
    for (let slot = indexes.bestReady(undefined); slot >= 0; slot = indexes.bestReady(undefined)) {
      const job = indexes.read(slot);
      if (job.priority !== expected) break;
      indexes.remove(slot);
      expected += 1;
    }
    expect(expected).toBe(65_536);
  });

  test("crosses queues by the best job, not in turns", () => {
    const indexes = new Indexes();
    indexes.publish(ready(1, { queue: "a", priority: 5 }));
    indexes.publish(ready(2, { queue: "b", priority: 1 }));
    indexes.publish(ready(3, { queue: "a", priority: 1 }));
    indexes.publish(ready(4, { queue: "c", priority: 0 }));
    expect(drain(indexes, ["a", "b", "missing"])).toEqual(idsOf(2, 3, 1));
    expect(indexes.hasReady(["a", "b"])).toBe(false);
    expect(indexes.hasReady(undefined)).toBe(true);
    expect(drain(indexes)).toEqual(idsOf(4));
  });

  test("holds with thousands of queues of one job each", () => {
    const indexes = new Indexes();
    const count = 20_000;
    for (let place = count; place > 0; place -= 1) indexes.publish(ready(place, { queue: `q${place}` }));
    let expected = 1;
    for (; expected <= count; expected += 1) {
      const slot = indexes.bestReady(undefined);
      if (slot < 0 || indexes.read(slot).id !== sampleId(expected)) break;
      indexes.remove(slot);
    }
    expect(expected).toBe(count + 1);
    expect([...indexes.queueNames()]).toEqual([]);
  });

  test("gives fifty prefetched jobs their places back when their worker vanishes", () => {
    const places = Array.from({ length: 100 }, (_, place) => place);
    const indexes = filled(...places);
    for (let n = 0; n < 50; n += 1) {
      const slot = indexes.bestReady(undefined);
      indexes.claim(slot, inFlight(indexes.read(slot)), 1);
    }
    expect(indexes.heldCount(1)).toBe(50);
    for (const slot of [...indexes.heldBy(1)]) indexes.change(slot, requeued(indexes.read(slot)));
    expect(indexes.inFlightCount).toBe(0);
    expect(drain(indexes)).toEqual(idsOf(...places));
  });

  test("puts a retried job before newer ones of its priority", () => {
    const indexes = filled(1, 2, 3, 4);
    const slot = indexes.find(sampleId(2));
    const job = ready(2, { attempts: 1 });
    indexes.change(slot, scheduled(2, 9_000, { attempts: 1 }, "retry"));
    indexes.remove(indexes.find(sampleId(1)));
    indexes.publish(ready(5));
    indexes.change(slot, job);
    expect(drain(indexes)).toEqual(idsOf(2, 3, 4, 5));
  });

  test("follows a change of priority and of queue", () => {
    const indexes = filled(1, 2, 3);
    indexes.change(indexes.find(sampleId(3)), ready(3, { priority: 1 }));
    expect(indexes.read(indexes.bestReady(undefined)).id).toBe(sampleId(3));
    indexes.change(indexes.find(sampleId(3)), ready(3, { queue: "other" }));
    expect(drain(indexes, ["mail"])).toEqual(idsOf(1, 2));
    expect(drain(indexes)).toEqual(idsOf(3));
  });

  test("knows a job again that was removed and came back", () => {
    const indexes = filled(1, 2, 3);
    indexes.remove(indexes.find(sampleId(2)));
    expect(indexes.find(sampleId(2))).toBe(-1);
    indexes.publish(ready(2));
    expect(drain(indexes)).toEqual(idsOf(1, 2, 3));
  });

  test("is not disturbed when a slot goes to another job", () => {
    const indexes = filled(1, 2, 3);
    const slot = indexes.find(sampleId(2));
    indexes.remove(slot);
    expect(indexes.publish(ready(9, { queue: "other", priority: 65_535 }))).toBe(slot);
    expect(drain(indexes, ["mail"])).toEqual(idsOf(1, 3));
    expect(drain(indexes)).toEqual(idsOf(9));
  });

  test("is found at once when all but one of many jobs were deleted from the middle", () => {
    const count = 50_000;
    const indexes = new Indexes();
    const slots = Array.from({ length: count }, (_, place) => indexes.publish(ready(place)));
    for (const slot of slots.slice(0, -1)) indexes.remove(slot);
    expect(indexes.size).toBe(1);
    expect([...indexes.walk(undefined, "asc")]).toEqual(slots.slice(-1));
    expect(indexes.bestReady(undefined)).toBe(slots.at(-1));
    expect(indexes.verify([ready(count - 1)])).toEqual([]);
  });
});
