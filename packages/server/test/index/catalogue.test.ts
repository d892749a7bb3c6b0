import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Catalogue } from "../../src/index/catalogue.ts";
import { blockOf } from "../../src/index/catalogue-block.ts";
import { JobTable, type Slot } from "../../src/index/job-table.ts";
import { boundOfPlace, ready } from "./sample-jobs.ts";

/** A catalogue over a table, spoken to in places. */
class Shelf {
  readonly table = new JobTable();
  readonly catalogue = new Catalogue(this.table.rows);
  readonly slots = new Map<number, Slot>();

  add(place: number): void {
    const slot = this.table.insert(ready(place));
    this.slots.set(place, slot);
    this.catalogue.add(slot);
  }

  remove(place: number): void {
    const slot = this.slots.get(place) ?? -1;
    this.catalogue.remove(slot);
    this.table.remove(slot);
    this.slots.delete(place);
  }

  list(from: number | undefined, order: "asc" | "desc"): number[] {
    const places = new Map([...this.slots].map(([place, slot]) => [slot, place]));
    const cursor = this.catalogue.cursor(from === undefined ? undefined : boundOfPlace(from), order);
    const found: number[] = [];
    for (let slot = cursor.next(); slot >= 0; slot = cursor.next()) found.push(places.get(slot) ?? -1);
    return found;
  }

  get places(): number[] {
    return [...this.slots.keys()].sort((a, b) => a - b);
  }
}

describe("the catalogue", () => {
  test("lists jobs of many blocks by id, whatever came late and whatever left", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ start: fc.nat(4_000), count: fc.nat(900), step: fc.constantFrom(1, -1, 7) }), {
          maxLength: 9,
          size: "max",
        }),
        fc.array(fc.record({ start: fc.nat(4_000), count: fc.nat(1_500), step: fc.constantFrom(1, 2, 5) }), {
          maxLength: 9,
          size: "max",
        }),
        fc.nat(4_000),
        (arrivals, departures, from) => {
          const shelf = new Shelf();
          for (let round = 0; round < Math.max(arrivals.length, departures.length); round += 1) {
            for (const place of run(arrivals[round])) if (!shelf.slots.has(place)) shelf.add(place);
            for (const place of run(departures[round])) if (shelf.slots.has(place)) shelf.remove(place);
          }
          expect([...shelf.catalogue.faults()]).toEqual([]);
          expect(shelf.list(undefined, "asc")).toEqual(shelf.places);
          expect(shelf.list(undefined, "desc")).toEqual(shelf.places.reverse());
          expect(shelf.list(from, "asc")).toEqual(shelf.places.filter((place) => place > from));
          expect(shelf.list(from, "desc")).toEqual(shelf.places.filter((place) => place < from).reverse());
        },
      ),
      { numRuns: 30 },
    );
  });

  test("takes the jobs of a clock that stepped back in their place", () => {
    const shelf = new Shelf();
    for (let place = 5_000; place < 8_000; place += 1) shelf.add(place);
    for (let place = 1_000; place < 4_000; place += 1) shelf.add(place);
    for (let place = 8_000; place < 8_100; place += 1) shelf.add(place);
    expect(shelf.list(undefined, "asc")).toEqual(shelf.places);
    expect([...shelf.catalogue.faults()]).toEqual([]);
  });

  test("puts the few jobs that remain of many blocks together", () => {
    const shelf = new Shelf();
    for (let place = 0; place < 40_000; place += 1) shelf.add(place);
    for (let place = 0; place < 40_000; place += 1) if (place % 100 !== 0) shelf.remove(place);
    const blocks = new Set([...shelf.slots.values()].map((slot) => blockOf(shelf.table.rows.seat(slot))));
    expect(shelf.places).toHaveLength(400);
    expect(blocks.size).toBeLessThan(12);
    expect(shelf.list(undefined, "asc")).toEqual(shelf.places);
    expect([...shelf.catalogue.faults()]).toEqual([]);
  });

  test("is empty after its last job left, and takes any job then", () => {
    const shelf = new Shelf();
    for (const place of [50, 60, 70]) shelf.add(place);
    for (const place of [60, 70, 50]) shelf.remove(place);
    expect(shelf.list(undefined, "asc")).toEqual([]);
    expect(shelf.list(10, "desc")).toEqual([]);
    shelf.add(10);
    shelf.add(5);
    expect(shelf.list(undefined, "desc")).toEqual([10, 5]);
  });
});

function run(wish: { start: number; count: number; step: number } | undefined): number[] {
  if (wish === undefined) return [];
  const { start, count, step } = wish;
  return Array.from({ length: count }, (_, n) => start + n * step).filter((place) => place >= 0 && place <= 5_000);
}
