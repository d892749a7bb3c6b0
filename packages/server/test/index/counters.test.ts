import { describe, expect, test } from "vitest";
import { FinishedCounts } from "../../src/index/counters.ts";
import { Indexes } from "../../src/index/indexes.ts";
import { inFlight, ready, scheduled } from "./sample-jobs.ts";

describe("counts of live jobs", () => {
  test("follow a job through its life, by status, queue and type", () => {
    const indexes = new Indexes();
    const count = (status: "scheduled" | "ready" | "in_flight") => indexes.countLive({ statuses: new Set([status]) });
    const slot = indexes.publish(scheduled(1, 5));
    expect([count("scheduled"), count("ready"), count("in_flight")]).toEqual([1, 0, 0]);
    indexes.change(slot, ready(1));
    expect([count("scheduled"), count("ready"), count("in_flight")]).toEqual([0, 1, 0]);
    indexes.claim(slot, inFlight(ready(1)), 1);
    expect([count("scheduled"), count("ready"), count("in_flight")]).toEqual([0, 0, 1]);
    expect(indexes.countLive({ queues: new Set(["mail"]), types: new Set(["send", "x"]) })).toBe(1);
    expect(indexes.countLive({ queues: new Set(["other"]) })).toBe(0);
    indexes.remove(slot);
    expect(indexes.countLive({})).toBe(0);
  });

  test("are zero for statuses that no live job has", () => {
    const indexes = new Indexes();
    indexes.publish(ready(1));
    expect(indexes.countLive({ statuses: new Set(["dead", "completed"]) })).toBe(0);
    expect(indexes.countLive({ statuses: new Set() })).toBe(0);
  });
});

describe("counts of finished jobs", () => {
  test("answer what to store, and forget a name with its last job", () => {
    const counts = new FinishedCounts();
    counts.set("completed", "mail", "send", 2);
    expect(counts.add("completed", "mail", "send", -1)).toBe(1);
    expect(counts.add("dead", "image", "resize", 1)).toBe(1);
    expect(counts.get("completed", "mail", "send")).toBe(1);
    expect(counts.count({})).toBe(2);
    expect(counts.count({ statuses: new Set(["dead", "ready"]) })).toBe(1);
    expect(counts.count({ queues: new Set(["mail"]), types: new Set(["resize"]) })).toBe(0);
    expect([...counts.entries()]).toEqual([
      { status: "completed", queue: "mail", type: "send", count: 1 },
      { status: "dead", queue: "image", type: "resize", count: 1 },
    ]);
    expect(counts.add("completed", "mail", "send", -1)).toBe(0);
    expect([...counts.queueNames()]).toEqual(["image"]);
  });

  test("do not go below zero when the stored number was lost", () => {
    const counts = new FinishedCounts();
    expect(counts.add("dead", "mail", "send", -1)).toBe(0);
    expect([...counts.entries()]).toEqual([]);
  });

  test("name queues together with the live ones, each once", () => {
    const indexes = new Indexes();
    indexes.publish(ready(1));
    indexes.finishedCounts.set("dead", "mail", "send", 1);
    indexes.finishedCounts.set("dead", "image", "send", 1);
    expect([...indexes.queueNames()].sort()).toEqual(["image", "mail"]);
  });
});
