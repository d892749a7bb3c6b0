import { describe, expect, it } from "vitest";
import { Rig, request } from "./engine-rig.ts";

describe("a new life on an old store", () => {
  it("makes what was in flight ready again: same order, attempts unchanged, no loss charged", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(5);
    const { sink } = await rig.take({ prefetch: 3 });
    const { dequeuedAt } = sink.got[0]?.job ?? {};
    await rig.pass(10);
    const next = await rig.restart();
    const { job } = await next.do(next.engine.get(ids[0] ?? ""));
    expect(job).toMatchObject({ status: "ready", attempts: 0, lost: 0, dequeuedAt });
    const again = await next.take({ prefetch: 10 });
    expect(again.sink.ids).toEqual(ids);
  });

  it("never brings back an acked job, and its tokens differ from the old life's and sort behind them", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(2);
    const { sink } = await rig.take({ prefetch: 2 });
    await rig.do(rig.engine.succeed(sink.ack(0)));
    const next = await rig.restart();
    const again = await next.take({ prefetch: 2 });
    expect(again.sink.ids).toEqual(ids.slice(1));
    expect(again.sink.ack(0).delivery > sink.ack(1).delivery).toBe(true);
    await expect(next.do(next.engine.succeed(sink.ack(1)))).rejects.toMatchObject({ code: "STALE_DELIVERY" });
  });

  it("gives larger ids than any stored one", async () => {
    const rig = await Rig.open();
    const [old = ""] = await rig.enqueueMany(1);
    const next = await rig.restart();
    const [young = ""] = await next.enqueueMany(1);
    expect(young > old).toBe(true);
  });

  it("accepts enqueues while it rebuilds its memory; streams open and wait, the old jobs go first", async () => {
    const rig = await Rig.open();
    const old = await rig.enqueueMany(3000);
    const next = await rig.restart({ isReady: false });
    const sink = await next.take({ prefetch: 4000 });
    const fresh = await next.enqueueMany(2);
    await next.do(next.engine.ready);
    await next.rest();
    expect(sink.sink.ids).toEqual([...old, ...fresh]);
    expect(await next.do(next.engine.verify())).toEqual([]);
  });

  it("is orderly after a stop: streams end, what they held is ready, everything decided is written", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(2);
    const { sink } = await rig.take({ prefetch: 2 });
    const ack = rig.engine.succeed(sink.ack(0));
    await rig.do(rig.engine.stop());
    await ack;
    expect(sink.ended).toBe(true);
    await expect(rig.do(rig.engine.enqueue([request()]))).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    expect(() => rig.engine.take({ queues: undefined, prefetch: 1, workerId: "w" }, sink)).toThrow(
      /shutting down|stopped/,
    );
    await rig.do(rig.engine.stop());
    const next = await rig.restart();
    expect(await next.do(next.engine.count({ statuses: new Set(["ready"]) }))).toBe(1);
  });
});

describe("a write that fails", () => {
  it("refuses everybody, ends the life and its streams, and the next life knows the truth", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(2);
    const { sink } = await rig.take({ prefetch: 1 });
    rig.kv.failing = new Error("no space left");
    const enqueue = rig.engine.enqueue([request()]);
    const ack = rig.engine.succeed(sink.ack(0));
    const read = rig.engine.get(ids[1] ?? "");
    const answers = await rig.do(Promise.allSettled([enqueue, ack, read]));
    for (const answer of answers) expect(answer).toMatchObject({ reason: { code: "STORAGE_UNAVAILABLE" } });
    expect(rig.ended).toBe(rig.kv.failing);
    expect(sink.ended).toBe(true);
    await expect(rig.do(rig.engine.enqueue([request()]))).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });

    rig.kv.failing = undefined;
    const next = await rig.restart();
    const again = await next.take({ prefetch: 5 });
    expect(again.sink.ids).toEqual(ids);
  });
});

describe("an enqueue", () => {
  it("is answered, listed and handed out only when it is durable", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take();
    rig.kv.hold();
    let isAnswered = false;
    const answer = rig.engine.enqueue([request(), request()]).then(() => {
      isAnswered = true;
    });
    await rig.rest();
    expect([isAnswered, sink.got.length]).toEqual([false, 0]);
    rig.kv.release();
    await rig.do(answer);
    await rig.rest();
    expect(sink.got.length).toBe(1);
  });

  it("shares one synced write with all others of its moment", async () => {
    const rig = await Rig.open();
    const before = rig.kv.writes.length;
    await rig.do(Promise.all(Array.from({ length: 64 }, () => rig.engine.enqueue([request()]))));
    expect(rig.kv.writes.slice(before)).toEqual([{ size: 64, sync: true }]);
  });

  it("of nothing is answered with nothing", async () => {
    const rig = await Rig.open();
    expect(await rig.enqueue()).toEqual([]);
  });
});
