import { describe, expect, test } from "vitest";
import { JobTable } from "../../src/index/job-table.ts";
import { SlotList } from "../../src/index/slot-list.ts";
import { ready } from "./sample-jobs.ts";

function listOf(count: number) {
  const table = new JobTable();
  const list = new SlotList(table.rows);
  const slots = Array.from({ length: count }, (_, place) => table.insert(ready(place)));
  for (const slot of slots) list.append(slot);
  return { list, slots };
}

describe("a list of slots", () => {
  test.each([
    ["its first", 0],
    ["its middle", 1],
    ["its last", 2],
  ])("stays whole when %s leaves and comes back at either end", (_, leaving) => {
    const { list, slots } = listOf(3);
    const slot = slots[leaving] ?? -1;
    const others = slots.filter((other) => other !== slot);
    list.remove(slot);
    expect([...list]).toEqual(others);
    expect([list.first, list.last, list.length]).toEqual([others[0], others[1], 2]);
    list.append(slot);
    expect([...list]).toEqual([...others, slot]);
    list.remove(slot);
    list.prepend(slot);
    expect([...list]).toEqual([slot, ...others]);
    expect([...list.faults()]).toEqual([]);
  });

  test("is empty after its only slot left, and says so with -1", () => {
    const { list, slots } = listOf(1);
    list.remove(slots[0] ?? -1);
    expect([list.first, list.last, list.length]).toEqual([-1, -1, 0]);
    list.prepend(slots[0] ?? -1);
    expect([list.first, list.last]).toEqual([slots[0], slots[0]]);
  });
});
