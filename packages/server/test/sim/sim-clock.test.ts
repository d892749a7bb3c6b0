import { expect, test } from "vitest";
import { SimClock } from "./sim-clock.ts";

test("time stands still until every promise has settled", async () => {
  const clock = new SimClock();
  const start = clock.now();
  const seen: number[] = [];
  const chain = async (): Promise<void> => {
    for (let step = 0; step < 50; step += 1) await Promise.resolve();
    seen.push(clock.now() - start);
  };
  clock.after(10, () => void chain());
  clock.after(20, () => seen.push(clock.now() - start));
  await clock.run(start + 100);
  expect(seen).toEqual([10, 20]);
});

test("running to an instant rings everything up to it and nothing after it", async () => {
  const clock = new SimClock();
  const start = clock.now();
  const rings: number[] = [];
  for (const ms of [5, 10, 11, 3600_000]) clock.after(ms, () => rings.push(ms));
  await clock.run(start + 10);
  expect(rings).toEqual([5, 10]);
  expect(clock.now()).toBe(start + 10);
  await clock.run(start + 3600_000);
  expect(rings).toEqual([5, 10, 11, 3600_000]);
});

test("a run that had enough stops where it is", async () => {
  const clock = new SimClock();
  const start = clock.now();
  let rings = 0;
  for (const ms of [5, 10, 15]) {
    clock.after(ms, () => {
      rings += 1;
    });
  }
  await clock.run(start + 100, () => rings === 2);
  expect(clock.now()).toBe(start + 10);
});

test("alarms of one instant ring in the order in which they were set", async () => {
  const clock = new SimClock();
  const rings: string[] = [];
  for (const name of ["first", "second", "third"]) clock.after(7, () => rings.push(name));
  await clock.run(clock.now() + 7);
  expect(rings).toEqual(["first", "second", "third"]);
});

test("a dead life's alarms never ring, neither those that were set nor those it still sets", async () => {
  const clock = new SimClock();
  const life = clock.life();
  const rings: string[] = [];
  life.after(5, () => rings.push("set before"));
  life.soon(() => rings.push("soon, before"));
  clock.after(5, () => rings.push("of the world"));
  life.end();
  life.after(5, () => rings.push("set after"));
  life.soon(() => rings.push("soon, after"));
  await clock.run(clock.now() + 10);
  expect(rings).toEqual(["of the world"]);
});

test("what an event throws comes out of the run", async () => {
  const clock = new SimClock();
  clock.after(1, () => {
    throw new RangeError("planted");
  });
  await expect(clock.run(clock.now() + 5)).rejects.toThrow("planted");
});
