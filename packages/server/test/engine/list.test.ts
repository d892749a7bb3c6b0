import { describe, expect, it } from "vitest";
import type { JobFilter } from "../../src/job/job-filter.ts";
import { Rig, request } from "./engine-rig.ts";

/** Five jobs in id order: completed, dead, scheduled retry, in flight, ready. */
async function fiveStates(): Promise<{ rig: Rig; ids: string[] }> {
  const rig = await Rig.open();
  const options = { completedRetentionMs: 60_000 };
  const answers = await rig.enqueue(...[1, 2, 3, 4, 5].map((n) => request({ payload: n, options, priority: n })));
  const ids = answers.map(({ job }) => job.id);
  const { sink } = await rig.take({ prefetch: 4 });
  await rig.do(rig.engine.succeed(sink.ack(0)));
  // The stream is full of credit again, so the fifth is taken; it goes back below.
  await rig.do(rig.engine.fail(sink.ack(1), { message: "no", kill: true }));
  await rig.do(rig.engine.fail(sink.ack(2), { message: "no", kill: false }));
  return { rig, ids };
}

async function listed(
  rig: Rig,
  filter: JobFilter,
  over: { from?: string; order?: "asc" | "desc"; limit?: number } = {},
) {
  const page = await rig.do(rig.engine.list({ filter, order: "asc", limit: 50, ...over }));
  return { ids: page.jobs.map(({ job }) => job.id), more: page.more, page };
}

describe("lists", () => {
  it("merge live and finished jobs in id order, both ways, with exclusive cursors", async () => {
    const { rig, ids } = await fiveStates();
    expect((await listed(rig, {})).ids).toEqual(ids);
    expect((await listed(rig, {}, { order: "desc" })).ids).toEqual([...ids].reverse());
    const [, second = "", third = ""] = ids;
    expect(await listed(rig, {}, { from: second, limit: 2 })).toMatchObject({ ids: ids.slice(2, 4), more: true });
    expect(await listed(rig, {}, { from: third, order: "desc" })).toMatchObject({ ids: [second, ids[0]], more: false });
    expect((await listed(rig, {}, { from: "zzz" })).ids).toEqual([]);
    expect((await listed(rig, {}, { from: "" })).ids).toEqual(ids);
    expect(await listed(rig, {}, { limit: 5 })).toMatchObject({ more: false });
  });

  it("show every row with its payload and its state", async () => {
    const { rig } = await fiveStates();
    const { page } = await listed(rig, {});
    expect(page.jobs.map(({ payload }) => payload.bytes.toString())).toEqual(["1", "2", "3", "4", "5"]);
    expect(page.jobs.map(({ job }) => job.status)).toEqual([
      "completed",
      "dead",
      "scheduled",
      "in_flight",
      "in_flight",
    ]);
  });

  it("filter by status, id, priority, attempts and time, live and finished alike", async () => {
    const { rig, ids } = await fiveStates();
    const [a = "", b = "", c = "", d = "", e = ""] = ids;
    expect((await listed(rig, { statuses: new Set(["dead", "in_flight"]) })).ids).toEqual([b, d, e]);
    expect((await listed(rig, { ids: new Set([e, a]) as never })).ids).toEqual([a, e]);
    expect((await listed(rig, { priority: { min: 2, max: 3 } })).ids).toEqual([b, c]);
    expect((await listed(rig, { attempts: { min: 1, max: 9 } })).ids).toEqual([b, c]);
    expect((await listed(rig, { readyAt: { min: rig.clock.now() + 1, max: 2n ** 64n - 1n } })).ids).toEqual([c]);
    expect((await listed(rig, { queues: new Set(["nobody"]) })).ids).toEqual([]);
    expect((await listed(rig, { types: new Set(["t"]), statuses: new Set(["completed"]) })).ids).toEqual([a]);
  });

  it("count the same as they list", async () => {
    const { rig } = await fiveStates();
    const filters: JobFilter[] = [
      {},
      { statuses: new Set(["dead"]) },
      { queues: new Set(["q"]), statuses: new Set(["in_flight", "completed"]) },
      { priority: { min: 2, max: 4 } },
      { attempts: { min: 1, max: 1 }, types: new Set(["t"]) },
    ];
    for (const filter of filters) {
      expect(await rig.do(rig.engine.count(filter))).toBe((await listed(rig, filter)).ids.length);
    }
  });

  it("keep a job that finished in memory on the page while its write is under way", async () => {
    const rig = await Rig.open();
    const [answer] = await rig.enqueue(request({ payload: "p", options: { completedRetentionMs: 60_000 } }));
    const { sink } = await rig.take();
    rig.kv.hold();
    const ack = rig.engine.succeed(sink.ack(0));
    const page = rig.engine.list({ filter: {}, order: "asc", limit: 10 });
    const counted = rig.engine.count({ priority: { min: 0, max: 65_535 } });
    await rig.rest();
    rig.kv.release();
    await rig.do(ack);
    const { jobs } = await rig.do(page);
    expect(jobs).toMatchObject([{ job: { id: answer?.job.id, status: "completed" } }]);
    expect(jobs[0]?.payload.bytes.toString()).toBe('"p"');
    expect(await rig.do(counted)).toBe(1);
  });

  it("walk pages without missing or repeating a row", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(105);
    const seen: string[] = [];
    let from: string | undefined;
    for (;;) {
      const page = await listed(rig, {}, { limit: 10, ...(from === undefined ? {} : { from }) });
      seen.push(...page.ids);
      from = page.ids.at(-1);
      if (!page.more) break;
    }
    expect(seen).toEqual(ids);
  });

  it("end a page of large payloads early, and the next link leads on", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(40, { payload: "x".repeat(1_000_000) });
    const seen: string[] = [];
    let pages = 0;
    let from: string | undefined;
    for (;;) {
      const page = await listed(rig, {}, from === undefined ? {} : { from });
      pages += 1;
      seen.push(...page.ids);
      from = page.ids.at(-1);
      if (!page.more) break;
    }
    expect(seen).toEqual(ids);
    expect(pages).toBe(3);
  });

  it("name the queues that hold jobs, in bytewise order", async () => {
    const rig = await Rig.open();
    await rig.enqueue(request({ queue: "é" }), request({ queue: "z" }), request({ queue: "Z" }));
    expect(await rig.do(rig.engine.queues())).toEqual(["Z", "z", "é"]);
  });
});
