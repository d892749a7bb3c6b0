import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { idToBytes } from "../../src/base/id-bytes.ts";
import type { FinishedJob } from "../../src/job/job.ts";
import type { JobFilter } from "../../src/job/job-filter.ts";
import { matches } from "../../src/job/job-filter.ts";
import type { Kv, KvRange } from "../../src/kv/kv.ts";
import { LevelKv } from "../../src/kv/level-kv.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import type { FinishedQuery } from "../../src/store/finished-pages.ts";
import { completedJob, deadJob, idOf, payloadOf, readyJob } from "./fixture-jobs.ts";
import { itemsOf, openStore, type StoreRig } from "./fixture-store.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function levelKv(): Promise<Kv> {
  const directory = await mkdtemp(join(tmpdir(), "millrace-pages-"));
  const kv = await LevelKv.open(directory, { cacheBytes: 1 << 20 });
  cleanups.push(async () => {
    await kv.close();
    await rm(directory, { recursive: true });
  });
  return kv;
}

async function fill(rig: StoreRig, jobs: readonly FinishedJob[]): Promise<void> {
  await rig.write((batch) => {
    for (const { id } of jobs) rig.store.putLive(batch, readyJob({ id }), payloadOf(`"${id}"`));
  });
  await rig.write((batch) => {
    for (const job of jobs) rig.store.finish(batch, readyJob({ id: job.id }), job);
  });
}

function boundOf(n: number): Uint8Array {
  const bytes = Buffer.alloc(16);
  idToBytes(idOf(n), bytes, 0);
  return bytes;
}

/** Jobs of few queues and types, some of them rare and some in long runs. */
function jobsOf(count: number): FinishedJob[] {
  return Array.from({ length: count }, (_, n) => {
    const queue = n % 97 === 0 ? "rare" : n < count / 3 ? "early" : n % 2 === 0 ? "even" : "odd";
    const type = n % 5 === 0 ? "five" : n % 3 === 0 ? "three" : "other";
    const given = { id: idOf(n), queue, type, priority: n % 10, attempts: n % 4 };
    return n % 4 === 0 ? completedJob(given) : deadJob(given);
  });
}

function expected(
  jobs: readonly FinishedJob[],
  { filter, order }: FinishedQuery,
  after: number | undefined,
): FinishedJob[] {
  const found = jobs.filter(
    (job) =>
      matches(filter, job) && (after === undefined || (order === "asc" ? job.id > idOf(after) : job.id < idOf(after))),
  );
  return order === "asc" ? found : found.toReversed();
}

const someOf = <T>(...values: T[]) =>
  fc.option(
    fc.subarray(values).map((picked) => new Set(picked)),
    { nil: undefined },
  );

/** Any filter over what `jobsOf` makes, with names that nothing has and ids that nothing has. */
const filters: fc.Arbitrary<JobFilter> = fc
  .record({
    statuses: someOf("completed" as const, "dead" as const, "ready" as const),
    queues: someOf("rare", "early", "even", "odd", "none"),
    types: someOf("five", "three", "other", "none"),
    ids: fc.option(
      fc.uniqueArray(fc.integer({ min: 0, max: 900 }), { maxLength: 200 }).map((ns) => new Set(ns.map(idOf))),
      {
        nil: undefined,
        freq: 4,
      },
    ),
    priority: fc.option(fc.constant({ min: 2, max: 6 }), { nil: undefined }),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));

describe("pages of finished jobs", () => {
  it.each([
    ["MemoryKv", async () => new MemoryKv()],
    ["LevelKv", levelKv],
  ] as const)("are what a look at every job would find, in both orders, from any place, over %s", async (_, open) => {
    const rig = await openStore(await open());
    const jobs = jobsOf(800);
    await fill(rig, jobs);
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom("asc" as const, "desc" as const),
        fc.option(
          fc.integer({ min: -1, max: 801 }).map((n) => Math.max(0, n)),
          { nil: undefined },
        ),
        async (filter, order, after) => {
          const query = { filter, order, after: after === undefined ? undefined : boundOf(after) };
          const rows = await itemsOf(rig.store.finishedPages(query));
          expect(rows.map(({ job }) => job)).toEqual(expected(jobs, query, after));
          expect(rows.every(({ job, payload }) => payload.bytes.toString() === `"${job.id}"`)).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("begin and end at the ends of all ids", async () => {
    const rig = await openStore();
    await fill(rig, jobsOf(10));
    const last = new Uint8Array(16).fill(255);
    const first = new Uint8Array(16);
    const countOf = async (query: FinishedQuery) => (await itemsOf(rig.store.finishedJobs(query))).length;
    expect(await countOf({ filter: {}, order: "asc", after: last })).toBe(0);
    expect(await countOf({ filter: {}, order: "desc", after: first })).toBe(0);
    expect(await countOf({ filter: {}, order: "asc", after: first })).toBe(10);
    expect(await countOf({ filter: { queues: new Set(["early"]) }, order: "desc", after: last })).toBe(3);
  });

  it("come from one snapshot", async () => {
    const rig = await openStore();
    const jobs = jobsOf(300);
    await fill(rig, jobs);
    const snapshot = rig.store.snapshot();
    const query = { filter: { types: new Set(["five"]) }, order: "asc" } as const;
    const rows: string[] = [];
    for await (const { job } of rig.store.finishedPages(query, snapshot)) {
      if (rows.length === 0) {
        await rig.write((batch) => {
          for (const other of jobs) rig.store.removeFinished(batch, other);
        });
      }
      rows.push(job.id);
    }
    expect(rows).toHaveLength(60);
    expect(await itemsOf(rig.store.finishedPages(query))).toEqual([]);
    await snapshot.close();
  });

  it("with more names than there should be ranges are asked of each record", async () => {
    const rig = await openStore();
    const jobs = jobsOf(200);
    await fill(rig, jobs);
    const queues = new Set(["rare", ...Array.from({ length: 100 }, (_, n) => `no such ${n}`)]);
    const query = { filter: { queues }, order: "desc" } as const;
    expect(await itemsOf(rig.store.finishedJobs(query))).toEqual(expected(jobs, query, undefined));
  });

  it("of a rare queue are found without walking through a common status", async () => {
    const kv = new MemoryKv();
    const rig = await openStore(kv);
    await fill(
      rig,
      Array.from({ length: 3000 }, (_, n) => deadJob({ id: idOf(n), queue: n % 1000 === 999 ? "rare" : "common" })),
    );
    let entries = 0;
    const snapshot = kv.snapshot();
    const counting = {
      get: (key: Uint8Array) => snapshot.get(key),
      getMany: (keys: readonly Uint8Array[]) => snapshot.getMany(keys),
      async *scan(range: KvRange) {
        for await (const page of snapshot.scan(range)) {
          entries += page.length;
          yield page;
        }
      },
    };
    const filter = { statuses: new Set(["dead"] as const), queues: new Set(["rare"]), types: new Set(["thumbnail"]) };
    const found = await itemsOf(rig.store.finishedJobs({ filter, order: "asc" }, counting));
    expect(found.map(({ id }) => id)).toEqual([idOf(999), idOf(1999), idOf(2999)]);
    expect(entries).toBeLessThan(1000);
  });

  it("can be left as soon as there is enough, without reading the rest", async () => {
    const rig = await openStore(await levelKv());
    await fill(rig, jobsOf(500));
    const first: FinishedJob[] = [];
    for await (const job of rig.store.finishedJobs({ filter: {}, order: "desc" })) {
      first.push(job);
      if (first.length === 5) break;
    }
    expect(first.map(({ id }) => id)).toEqual([499, 498, 497, 496, 495].map(idOf));
  });
});
