import type { DeliveryToken, JobId } from "@millrace/protocol/ids";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Indexes } from "../../src/index/indexes.ts";
import type { LiveJob, ReadyJob } from "../../src/job/job.ts";
import { type JobFilter, matches } from "../../src/job/job-filter.ts";
import { boundOfPlace, inFlight, ready, requeued, sampleId, scheduled } from "./sample-jobs.ts";

const queueNames = ["mail", "image", "video", "audio"] as const;
const likelyQueueNames = ["mail", "mail", "mail", ...queueNames] as const;
const typeNames = ["send", "resize"] as const;
const priorities = [32_768, 32_768, 32_768, 0, 65_535] as const;

/** The same job queue as one array, sorted anew for every question. */
class Model {
  readonly jobs = new Map<JobId, LiveJob>();
  readonly sessions = new Map<JobId, number>();
  /** Jobs in flight in the order of claim. */
  claims: JobId[] = [];

  get sorted(): LiveJob[] {
    return [...this.jobs.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  put(job: LiveJob): void {
    this.jobs.set(job.id, job);
    if (job.status !== "in_flight") this.drop(job.id);
  }

  drop(id: JobId): void {
    this.sessions.delete(id);
    this.claims = this.claims.filter((claim) => claim !== id);
  }

  bestReady(queues: readonly string[] | undefined): JobId | undefined {
    const ready = this.sorted.filter((job) => job.status === "ready" && (queues?.includes(job.queue) ?? true));
    return ready.sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))[0]?.id;
  }

  firstDue(): { id: JobId; at: number } | undefined {
    const waiting = this.sorted.filter((job) => job.status === "scheduled");
    const first = waiting.sort((a, b) => Number(a.readyAt) - Number(b.readyAt) || (a.id < b.id ? -1 : 1))[0];
    return first === undefined ? undefined : { id: first.id, at: Number(first.readyAt) };
  }

  heldBy(session: number): JobId[] {
    return this.claims.filter((id) => this.sessions.get(id) === session);
  }
}

/** Few places and names, so that long sequences meet the same job, queue and priority again and again. */
const placeMax = 24;
const place = fc.nat(placeMax);
const traits = fc.record({
  queue: fc.constantFrom(...likelyQueueNames),
  type: fc.constantFrom(...typeNames),
  priority: fc.constantFrom(...priorities),
  readyAt: fc.nat(8),
  attempts: fc.nat(2),
  options: fc.constantFrom({}, { retryLimit: 3 }, { completedRetentionMs: 2n ** 60n }),
  isScheduled: fc.boolean(),
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("put" as const), place, traits }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim" as const), session: fc.nat(2), from: fc.nat(15) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("requeue" as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), place }) },
);
/** Without a size, sequences would hardly exceed ten steps. */
const sequence = fc.array(step, { minLength: 1, maxLength: 150, size: "max" });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The queues named by the bits of a number; 15 = all, asked for without names. */
function queuesOf(bits: number): readonly string[] | undefined {
  return bits === 15 ? undefined : queueNames.filter((_, bit) => (bits & (1 << bit)) !== 0);
}

function apply(change: Step, model: Model, indexes: Indexes, turn: number): void {
  switch (change.kind) {
    case "put": {
      const { isScheduled, readyAt, ...wishes } = change.traits;
      const slot = indexes.find(sampleId(change.place));
      const known = model.jobs.get(sampleId(change.place));
      let job: LiveJob = isScheduled ? scheduled(change.place, readyAt, wishes) : ready(change.place, wishes);
      if (known?.status === "in_flight" && turn % 2 === 0) job = { ...known, priority: wishes.priority };
      if (slot < 0) indexes.publish(job);
      else indexes.change(slot, job);
      model.put(job);
      return;
    }
    case "claim": {
      const slot = indexes.bestReady(queuesOf(change.from));
      if (slot < 0) return;
      const job = inFlight(indexes.read(slot), `turn-${turn}`);
      indexes.claim(slot, job, change.session);
      model.jobs.set(job.id, job);
      model.sessions.set(job.id, change.session);
      model.claims.push(job.id);
      return;
    }
    case "requeue": {
      const job = model.jobs.get(sampleId(change.place));
      if (job?.status !== "in_flight") return;
      const back = requeued(job);
      indexes.change(indexes.find(job.id), back);
      model.put(back);
      return;
    }
    case "remove": {
      const id = sampleId(change.place);
      const slot = indexes.find(id);
      if (slot >= 0) indexes.remove(slot);
      model.jobs.delete(id);
      model.drop(id);
      return;
    }
  }
}

function ids(indexes: Indexes, slots: Iterable<number>): JobId[] {
  return [...slots].map((slot) => indexes.read(slot).id);
}

function compare(model: Model, indexes: Indexes): void {
  for (let bits = 0; bits <= 15; bits += 1) {
    const slot = indexes.bestReady(queuesOf(bits));
    expect(slot < 0 ? undefined : indexes.read(slot).id).toBe(model.bestReady(queuesOf(bits)));
  }
  const due = indexes.firstDue();
  const first = due === undefined ? undefined : { id: indexes.read(due.slot).id, at: due.at };
  expect(first).toEqual(model.firstDue());
  for (let session = 0; session <= 2; session += 1) {
    expect(ids(indexes, indexes.heldBy(session))).toEqual(model.heldBy(session));
    expect(indexes.heldCount(session)).toBe(model.heldBy(session).length);
  }
  expect(indexes.inFlightCount).toBe(model.claims.length);
  expect([...indexes.walk(undefined, "asc")].map((slot) => indexes.read(slot))).toEqual(model.sorted);
  expect(new Set(indexes.queueNames())).toEqual(new Set(model.sorted.map((job) => job.queue)));
}

const someOf = <T>(values: readonly T[]) =>
  fc.option(
    fc.subarray([...values]).map((chosen) => new Set(chosen)),
    { nil: undefined },
  );
const filters = fc.record({
  statuses: someOf(["scheduled", "ready", "in_flight", "dead"] as const),
  queues: someOf([...queueNames, "unknown"]),
  types: someOf(typeNames),
  ids: fc.option(
    fc.array(place, { maxLength: 20 }).map((places) => new Set(places.map(sampleId))),
    { nil: undefined, freq: 3 },
  ),
  priority: fc.constantFrom(undefined, { min: 1, max: 32_768 }),
  readyAt: fc.constantFrom(undefined, { min: 3, max: 2n ** 63n }),
  attempts: fc.constantFrom(undefined, { min: 1, max: 1 }),
});

/** Absent members left out, as `JobFilter` wants them. */
function filterOf(wishes: object): JobFilter {
  return Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined));
}

function build(steps: readonly Step[]): { model: Model; indexes: Indexes } {
  const model = new Model();
  const indexes = new Indexes();
  for (const [turn, change] of steps.entries()) apply(change, model, indexes, turn);
  return { model, indexes };
}

describe("the indexes, against one sorted array", () => {
  test("answer alike after every step of any sequence, and find nothing to complain about", () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        const model = new Model();
        const indexes = new Indexes();
        for (const [turn, change] of steps.entries()) {
          apply(change, model, indexes, turn);
          if (turn % 4 === 0) compare(model, indexes);
        }
        compare(model, indexes);
        expect(indexes.verify(model.jobs.values())).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("walk from any bound in both directions", () => {
    fc.assert(
      fc.property(sequence, fc.nat(placeMax + 1), (steps, from) => {
        const { model, indexes } = build(steps);
        const bound = sampleId(from);
        const above = model.sorted.filter((job) => job.id > bound).map((job) => job.id);
        const below = model.sorted.filter((job) => job.id < bound).map((job) => job.id);
        expect(ids(indexes, indexes.walk(boundOfPlace(from), "asc"))).toEqual(above);
        expect(ids(indexes, indexes.walk(boundOfPlace(from), "desc"))).toEqual(below.reverse());
      }),
    );
  });

  test("select and count what a filter means, from any bound, whole or in slices", () => {
    fc.assert(
      fc.property(sequence, filters, fc.nat(placeMax + 1), (steps, wishes, from) => {
        const { model, indexes } = build(steps);
        const filter = filterOf(wishes);
        const wanted = model.sorted.filter((job) => matches(filter, job)).map((job) => job.id);
        expect(ids(indexes, indexes.select(filter, undefined, "asc"))).toEqual(wanted);
        const below = wanted.filter((id) => id < sampleId(from)).reverse();
        expect(ids(indexes, indexes.select(filter, boundOfPlace(from), "desc"))).toEqual(below);
        let total = 0;
        let after: Uint8Array | undefined;
        do {
          const slice = indexes.countSlice(filter, after, 3);
          total += slice.matches;
          after = slice.next;
        } while (after !== undefined);
        expect(total).toBe(wanted.length);
        const { statuses, queues, types } = filter;
        const counted = filterOf({ statuses, queues, types });
        expect(indexes.countLive(counted)).toBe(model.sorted.filter((job) => matches(counted, job)).length);
      }),
    );
  });

  test("know which delivery a session holds, and no other", () => {
    const indexes = new Indexes();
    const slot = indexes.publish(ready(1));
    const job = indexes.read(slot) as ReadyJob;
    indexes.claim(slot, inFlight(job, "first"), 7);
    expect(indexes.holds(7, slot, "first" as DeliveryToken)).toBe(true);
    expect(indexes.holds(8, slot, "first" as DeliveryToken)).toBe(false);
    expect(indexes.holds(7, slot, "second" as DeliveryToken)).toBe(false);
    indexes.remove(slot);
    expect(indexes.holds(7, slot, "first" as DeliveryToken)).toBe(false);
    expect(indexes.holds(-1, slot, "first" as DeliveryToken)).toBe(false);
  });
});
