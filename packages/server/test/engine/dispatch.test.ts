import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/logger.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import { enqueue } from "../../src/engine/enqueue.ts";
import { Life } from "../../src/engine/life.ts";
import { take } from "../../src/engine/take.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { SimClock } from "../sim/sim-clock.ts";
import { NotingSink, Rig, request, settings } from "./engine-rig.ts";

describe("dispatch", () => {
  it("hands out by priority, then by age, over all queues", async () => {
    const rig = await Rig.open();
    const [low] = await rig.enqueueMany(1, { priority: 9 });
    const [first] = await rig.enqueueMany(1, { priority: 1, queue: "a" });
    const [second] = await rig.enqueueMany(1, { priority: 1, queue: "b" });
    const { sink } = await rig.take({ prefetch: 3 });
    expect(sink.ids).toEqual([first, second, low]);
  });

  it("takes from the named queues alone, best over their union", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(2, { queue: "other", priority: 0 });
    const [late] = await rig.enqueueMany(1, { queue: "a", priority: 5 });
    const [best] = await rig.enqueueMany(1, { queue: "b", priority: 2 });
    const { sink } = await rig.take({ queues: ["a", "b"], prefetch: 10 });
    expect(sink.ids).toEqual([best, late]);
  });

  it("sends to a stream that was there first", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take();
    const [id] = await rig.enqueueMany(1);
    expect(sink.ids).toEqual([id]);
  });

  it("fills a prefetch in one commit, and sends it as one piece", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(50);
    const before = rig.kv.writes.length;
    const { sink } = await rig.take({ prefetch: 40 });
    expect(sink.got.length).toBe(40);
    expect(sink.pieces).toBe(1);
    expect(rig.kv.writes.slice(before)).toEqual([{ size: 40, sync: false }]);
  });

  it("fills a huge prefetch piece by piece, so that others get their turn", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(2500);
    const before = rig.kv.writes.length;
    const { sink } = await rig.take({ prefetch: 1_000_000 });
    expect(sink.ids).toEqual(ids);
    expect(rig.kv.writes.slice(before).map(({ size }) => size)).toEqual([1000, 1000, 500]);
  });

  it("writes a claim before its bytes go out", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(1);
    rig.kv.hold();
    const { sink } = await rig.take();
    expect(sink.got).toEqual([]);
    rig.kv.release();
    await rig.rest();
    expect(sink.got.length).toBe(1);
  });

  it("sends the next job of prefetch 1 only after the ack, whichever way the first one ended", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(4);
    const { sink } = await rig.take();
    expect(sink.ids).toEqual(ids.slice(0, 1));
    await rig.do(rig.engine.succeed(sink.ack(0)));
    expect(sink.ids).toEqual(ids.slice(0, 2));
    await rig.do(rig.engine.fail(sink.ack(1), { message: "no", kill: false }));
    expect(sink.ids).toEqual(ids.slice(0, 3));
    await rig.do(rig.engine.remove(ids[2] ?? ""));
    expect(sink.ids).toEqual(ids);
  });

  it("puts an ack and the claims that its credit pays for into one write", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(2);
    const { sink } = await rig.take();
    const before = rig.kv.writes.length;
    await rig.do(rig.engine.succeed(sink.ack(0)));
    expect(sink.got.length).toBe(2);
    // Two deletions of the first job, one claim of the second.
    expect(rig.kv.writes.slice(before)).toEqual([{ size: 3, sync: true }]);
  });

  it("rouses exactly one of fifty idle streams for one job, the one that waited longest", async () => {
    const rig = await Rig.open();
    const streams = [];
    for (let i = 0; i < 50; i += 1)
      streams.push(await rig.take({ prefetch: 5, ...(i % 2 === 0 ? {} : { queues: ["q"] }) }));
    const before = rig.engine.streamsTouched;
    await rig.enqueueMany(1);
    expect(rig.engine.streamsTouched - before).toBe(1);
    await rig.enqueueMany(1);
    expect(rig.engine.streamsTouched - before).toBe(2);
    expect(streams.map(({ sink }) => sink.got.length)).toEqual([1, 1, ...Array.from({ length: 48 }, () => 0)]);
  });

  it("does not rouse streams of other queues", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take({ queues: ["other"] });
    const before = rig.engine.streamsTouched;
    await rig.enqueueMany(1);
    expect(rig.engine.streamsTouched).toBe(before);
    expect(sink.got).toEqual([]);
  });

  it("holds the global limit, and gives its room to whoever waits when a stream goes", async () => {
    const rig = await Rig.open({ globalInFlightMax: 3 });
    const ids = await rig.enqueueMany(5);
    const one = await rig.take({ prefetch: 10 });
    const two = await rig.take({ prefetch: 10 });
    expect([one.sink.ids, two.sink.ids]).toEqual([ids.slice(0, 3), []]);
    await rig.do(rig.engine.succeed(one.sink.ack(0)));
    expect(one.sink.got.length + two.sink.got.length).toBe(4);
    one.stream.close();
    await rig.rest();
    expect(two.sink.got.length).toBeGreaterThanOrEqual(3);
  });

  it("lets the room under the global limit go round among streams that all have credit", async () => {
    const rig = await Rig.open({ globalInFlightMax: 4 });
    await rig.enqueueMany(100);
    const one = await rig.take({ prefetch: 20 });
    const two = await rig.take({ prefetch: 20 });
    expect([one.sink.got.length, two.sink.got.length]).toEqual([4, 0]);
    for (let acked = 0; acked < 4; acked += 1) await rig.do(rig.engine.succeed(one.sink.ack(acked)));
    // Each ack freed one place; they went to the two in turn.
    expect([one.sink.got.length, two.sink.got.length]).toEqual([6, 2]);
  });

  it("sends one at a time without a prefetch limit, as far as the socket takes it", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(5);
    const { sink, stream } = await rig.take({ prefetch: 0, full: true });
    expect(sink.ids).toEqual(ids.slice(0, 1));
    sink.full = false;
    stream.drained();
    await rig.rest();
    expect(sink.ids).toEqual(ids);
  });

  it("gives a reader that never reads one piece, keeps the rest as jobs, and serves others meanwhile", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(400, { payload: "x".repeat(64_000) });
    const deaf = await rig.take({ prefetch: 200, full: true });
    expect(deaf.sink.pieces).toBe(1);
    expect(deaf.sink.got.length).toBeLessThan(10);
    const other = await rig.take({ prefetch: 200 });
    expect(other.sink.got.length).toBe(200);
    deaf.stream.close();
    other.stream.close();
    const next = await rig.take({ prefetch: 400 });
    expect(next.sink.got.length).toBe(400);
  });

  it("finds work for a stream that was not told of it", async () => {
    const clock = new SimClock();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) };
    const opening = Life.begin({
      kv: new MemoryKv(),
      clock,
      random: new SeededRandom(1),
      logger,
      settings,
      onEnd() {},
    });
    await clock.run(clock.now());
    const { core, ready } = await opening;
    await clock.run(clock.now());
    await ready;
    const sink = new NotingSink();
    take(core, { queues: ["q"], prefetch: 1, workerId: "w" }, sink);
    // The event is lost on purpose: the note of a ready job never reaches the dispatcher.
    const { jobReady } = core.dispatcher;
    core.dispatcher.jobReady = () => undefined;
    const enqueued = enqueue(core, [request()]);
    await clock.run(clock.now());
    await enqueued;
    core.dispatcher.jobReady = jobReady;
    expect([sink.got.length, warnings.length]).toEqual([0, 0]);
    await clock.run(clock.now() + settings.reaperIntervalMs);
    expect([sink.got.length, warnings.length]).toEqual([1, 1]);
  });
});
