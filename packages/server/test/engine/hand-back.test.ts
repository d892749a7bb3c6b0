import { describe, expect, it } from "vitest";
import { Rig } from "./engine-rig.ts";

describe("a stream that ends", () => {
  it("gives all of fifty prefetched jobs back at once, in order, also those it never wrote to the socket", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(50);
    const { sink, stream } = await rig.take({ prefetch: 50, full: true });
    expect(sink.pieces).toBe(1);
    stream.close();
    expect(await rig.do(rig.engine.count({ statuses: new Set(["ready"]) }))).toBe(50);
    const next = await rig.take({ prefetch: 100 });
    expect(next.sink.ids).toEqual(ids);
    expect(next.sink.got.every(({ job }) => job.lost === 1 && job.attempts === 0)).toBe(true);
  });

  it("gives back claims that are still being written, and never sends them", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(3);
    rig.kv.hold();
    const { sink, stream } = await rig.take({ prefetch: 3 });
    stream.close();
    rig.kv.release();
    await rig.rest();
    expect(sink.got).toEqual([]);
    const next = await rig.take({ prefetch: 3 });
    expect(next.sink.ids).toEqual(ids);
  });

  it("sends a job again with the payload it had, though it is fresh only once", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(1, { payload: { a: [1, "x"] } });
    for (let run = 0; run < 3; run += 1) {
      const { sink, stream } = await rig.take();
      expect(sink.got[0]?.payload.bytes.toString()).toBe('{"a":[1,"x"]}');
      stream.close();
    }
  });

  it("puts them before newer jobs of their priority", async () => {
    const rig = await Rig.open();
    const old = await rig.enqueueMany(3);
    const { stream } = await rig.take({ prefetch: 3 });
    const newer = await rig.enqueueMany(2);
    stream.close();
    const next = await rig.take({ prefetch: 10 });
    expect(next.sink.ids).toEqual([...old, ...newer]);
  });

  it("leaves alone what was acked, failed, deleted or handed to another stream since", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(4);
    const { sink, stream } = await rig.take({ prefetch: 4 });
    await rig.do(rig.engine.succeed(sink.ack(0)));
    await rig.do(rig.engine.fail(sink.ack(1), { message: "no", kill: false }));
    await rig.do(rig.engine.remove(ids[2] ?? ""));
    stream.close();
    stream.close();
    const next = await rig.take({ prefetch: 4 });
    expect(next.sink.ids).toEqual([ids[3]]);
    expect(await rig.status(ids[1] ?? "")).toBe("scheduled");
  });

  it("is refused when it answers late with its token, and does not end the new run", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(1);
    const first = await rig.take();
    const late = first.sink.ack(0);
    first.stream.close();
    await expect(rig.do(rig.engine.succeed(late))).rejects.toMatchObject({ code: "STALE_DELIVERY" });
    const second = await rig.take();
    await expect(rig.do(rig.engine.succeed(late))).rejects.toMatchObject({ code: "STALE_DELIVERY" });
    const report = await rig.do(rig.engine.succeedMany([late]));
    expect(report).toEqual({ notFound: [], stale: [late.id] });
    await rig.do(rig.engine.succeed(second.sink.ack(0)));
  });

  it("may still settle the new run without a token, as existing clients expect", async () => {
    const rig = await Rig.open();
    const [id = ""] = await rig.enqueueMany(1);
    const first = await rig.take();
    first.stream.close();
    await expect(rig.do(rig.engine.succeed({ id }))).rejects.toMatchObject({ code: "JOB_NOT_IN_FLIGHT" });
    await rig.take();
    await rig.do(rig.engine.succeed({ id }));
    await expect(rig.do(rig.engine.get(id))).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });
});
