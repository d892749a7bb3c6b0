import { describe, expect, test } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { tableFaults } from "../../src/index/audit.ts";
import { Catalogue } from "../../src/index/catalogue.ts";
import { InFlightIndex } from "../../src/index/in-flight-index.ts";
import { Indexes } from "../../src/index/indexes.ts";
import { JobTable } from "../../src/index/job-table.ts";
import { ReadyIndex } from "../../src/index/ready-index.ts";
import { ScheduledIndex } from "../../src/index/scheduled-index.ts";
import { inFlight, ready, sampleId, scheduled } from "./sample-jobs.ts";

describe("verify, against the store", () => {
  test("is content when the store has the same jobs, those in flight as ready ones", () => {
    const indexes = new Indexes();
    const slot = indexes.publish(ready(1));
    indexes.publish(scheduled(2, 2n ** 64n - 1n, { options: { retryLimit: 1 } }));
    const taken = inFlight(ready(1));
    indexes.claim(slot, taken, 1);
    const stored = [
      ready(1, { dequeuedAt: taken.dequeuedAt }),
      scheduled(2, 2n ** 64n - 1n, { options: { retryLimit: 1 } }),
    ];
    expect(indexes.verify(stored)).toEqual([]);
  });

  test("names jobs that one side has and the other has not, or has twice", () => {
    const indexes = new Indexes();
    indexes.publish(ready(1));
    expect(indexes.verify([ready(2), ready(2)])).toEqual([
      `${sampleId(2)}: stored as ready, unknown to memory`,
      `${sampleId(2)}: stored twice`,
      `${sampleId(2)}: stored as ready, unknown to memory`,
    ]);
    expect(indexes.verify([])).toEqual([`${sampleId(1)}: ready in memory, not stored`]);
  });

  test.each([
    ["status", scheduled(1, 1_000)],
    ["priority", ready(1, { priority: 7 })],
    ["queue", ready(1, { queue: "x" })],
    ["type", ready(1, { type: "x" })],
    ["readyAt", ready(1, { readyAt: 5 })],
    ["attempts", ready(1, { attempts: 5 })],
    ["lost", ready(1, { lost: 5 })],
    ["options", ready(1, { options: { deadRetentionMs: 5 } })],
  ])("notices another %s", (field, stored) => {
    const indexes = new Indexes();
    indexes.publish(ready(1));
    expect(indexes.verify([stored]).join()).toContain(field);
  });

  test("stops at a hundred complaints", () => {
    const indexes = new Indexes();
    for (let place = 0; place < 200; place += 1) indexes.publish(ready(place));
    expect(indexes.verify([])).toHaveLength(100);
  });
});

/** Structures over one table as in the facade, open to be broken. */
function opened() {
  const table = new JobTable();
  const { rows } = table;
  const parts = {
    ready: new ReadyIndex(rows),
    scheduled: new ScheduledIndex(rows),
    inFlight: new InFlightIndex(table),
    catalogue: new Catalogue(rows),
  };
  const faults = () => [
    ...tableFaults(table),
    ...parts.ready.faults((slot) => table.queueNumber(slot)),
    ...parts.scheduled.faults(),
    ...parts.inFlight.faults(),
    ...parts.catalogue.faults(),
  ];
  const add = (place: number) => {
    const slot = table.insert(ready(place));
    parts.catalogue.add(slot);
    parts.ready.add(slot, table.queueNumber(slot));
    return slot;
  };
  const slots = [add(1), add(5), add(3), add(7)];
  return { table, rows, ...parts, slots, slot: slots[1] ?? -1, faults };
}

describe("verify, against itself", () => {
  test("is content with what was built by the rules", () => {
    expect(opened().faults()).toEqual([]);
  });

  test.each<[string, (broken: ReturnType<typeof opened>) => void]>([
    ["a list whose link was cut", ({ rows, slot }) => rows.setNext(slot, -1)],
    ["a list that runs in a circle", ({ rows, slot }) => rows.setNext(slot, slot)],
    ["a neighbour that is not named", ({ rows, slot }) => rows.setPrevious(slot, -1)],
    ["a place in a heap that is wrong", ({ rows, slots }) => rows.setPosition(slots[2] ?? -1, 9)],
    ["a priority that the order does not know", ({ table, slot }) => table.write(slot, ready(5, { priority: 1 }))],
    ["a queue that the order does not know", ({ table, slot }) => table.write(slot, ready(5, { queue: "other" }))],
    ["a status that the order does not know", ({ table, slot }) => table.write(slot, scheduled(5, 1))],
    ["a seat that is wrong", ({ rows, slot }) => rows.setSeat(slot, 77)],
    ["a job that the catalogue lost", ({ catalogue, slot }) => catalogue.remove(slot)],
    ["an id that changed", ({ rows, slot }) => rows.setId(slot, Uint32Array.of(1, 2, 3, 4))],
    ["a counter that is off", ({ table, slot }) => table.kinds.move(table.rows.kind(slot), "ready", "scheduled")],
    [
      "a name that nothing holds",
      ({ table }) => table.kinds.add(ready(1, { queue: "x" }).queue, ready(1).type, "ready"),
    ],
    ["options counted once too often", ({ table }) => table.options.add({ retryLimit: 1 })],
    ["a history that nobody has", ({ table }) => table.histories.write(0, ready(1, { attempts: 1 }))],
    ["a job held that is not in flight", ({ inFlight, slot }) => inFlight.add(slot, 1)],
    ["a job scheduled that is not", ({ scheduled, slot }) => scheduled.add(slot)],
  ])("complains about %s", (_, breakIt) => {
    const broken = opened();
    breakIt(broken);
    expect(broken.faults().length).toBeGreaterThan(0);
  });
});

describe("a change that the engine must not make", () => {
  test("ends the process instead of corrupting memory", () => {
    const indexes = new Indexes();
    const slot = indexes.publish(ready(1));
    expect(() => indexes.publish(inFlight(ready(2)))).toThrow(BrokenInvariant);
    expect(() => indexes.publish(ready(1))).toThrow(BrokenInvariant);
    expect(() => indexes.change(slot, inFlight(ready(1)))).toThrow(BrokenInvariant);
    indexes.claim(slot, inFlight(ready(1)), 1);
    expect(() => indexes.claim(slot, inFlight(ready(1)), 2)).toThrow(BrokenInvariant);
    indexes.remove(slot);
    expect(() => indexes.remove(slot)).toThrow(BrokenInvariant);
  });
});
