import { describe, expect, it } from "vitest";
import { Rig, request } from "./engine-rig.ts";

describe("scheduled jobs", () => {
  it("are handed out when their time comes, in order of time, and keep it", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take({ prefetch: 10 });
    const at = rig.clock.now() + 1000;
    const [late, soon] = await rig.enqueue(request({ readyAt: at + 500 }), request({ readyAt: at }));
    expect(sink.ids).toEqual([]);
    await rig.pass(1000);
    expect(sink.ids).toEqual([soon?.job.id]);
    await rig.pass(500);
    expect(sink.ids).toEqual([soon?.job.id, late?.job.id]);
    expect(sink.got.map(({ job }) => job.readyAt)).toEqual([at, at + 500]);
  });

  it("that fall due together go by priority", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take({ prefetch: 1 });
    const readyAt = rig.clock.now() + 10;
    const [second, first] = await rig.enqueue(request({ readyAt, priority: 20 }), request({ readyAt, priority: 10 }));
    await rig.pass(10);
    expect(sink.ids).toEqual([first?.job.id]);
    await rig.do(rig.engine.succeed(sink.ack(0)));
    expect(sink.ids).toEqual([first?.job.id, second?.job.id]);
  });

  it("wake the alarm earlier when an earlier one appears", async () => {
    const rig = await Rig.open();
    const { sink } = await rig.take({ prefetch: 10 });
    await rig.enqueue(request({ readyAt: rig.clock.now() + 60_000 }));
    const [early] = await rig.enqueue(request({ readyAt: rig.clock.now() + 50 }));
    await rig.pass(50);
    expect(sink.ids).toEqual([early?.job.id]);
  });

  it("beyond a full pass are all promoted", async () => {
    const rig = await Rig.open({ schedulerPassMax: 10 });
    const readyAt = rig.clock.now() + 5;
    await rig.enqueue(...Array.from({ length: 95 }, () => request({ readyAt })));
    const { sink } = await rig.take({ prefetch: 100 });
    await rig.pass(5);
    expect(sink.got.length).toBe(95);
  });

  it("may lie further away than any timer or double reaches", async () => {
    const rig = await Rig.open();
    const far = 2n ** 64n - 1n;
    const [answer] = await rig.enqueue(request({ readyAt: far }));
    await rig.pass(86_400_000 * 40);
    const { job } = await rig.do(rig.engine.get(answer?.job.id ?? ""));
    expect(job).toMatchObject({ status: "scheduled", readyAt: far });
  });

  it("survive a restart and fire on time", async () => {
    const rig = await Rig.open();
    const readyAt = rig.clock.now() + 3000;
    const [answer] = await rig.enqueue(request({ readyAt }));
    const next = await rig.restart();
    const { sink } = await next.take();
    await next.pass(2999);
    expect(sink.ids).toEqual([]);
    await next.pass(1);
    expect(sink.ids).toEqual([answer?.job.id]);
  });
});
