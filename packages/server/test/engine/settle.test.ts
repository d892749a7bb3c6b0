import { describe, expect, it } from "vitest";
import { Rig, request } from "./engine-rig.ts";

describe("success", () => {
  it("answers when the change is durable, and removes a job that nobody wants kept", async () => {
    const rig = await Rig.open();
    const [id = ""] = await rig.enqueueMany(1);
    const { sink } = await rig.take();
    rig.kv.hold();
    let isAnswered = false;
    const answer = rig.engine.succeed(sink.ack(0)).then(() => {
      isAnswered = true;
    });
    await rig.rest();
    expect(isAnswered).toBe(false);
    rig.kv.release();
    await rig.do(answer);
    await expect(rig.do(rig.engine.get(id))).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  it("lets a second ack wait for the commit from which its 404 was decided", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(1);
    const { sink } = await rig.take();
    rig.kv.hold();
    const first = rig.engine.succeed(sink.ack(0));
    let refused: unknown;
    const second = rig.engine.succeed(sink.ack(0)).catch((error: unknown) => {
      refused = error;
    });
    await rig.rest();
    expect(refused).toBeUndefined();
    rig.kv.release();
    await rig.do(Promise.all([first, second]));
    expect(refused).toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  it("tells what could not be settled, in request order, and settles the rest; repeated ids collapse", async () => {
    const rig = await Rig.open();
    const ids = await rig.enqueueMany(3);
    const { sink } = await rig.take({ prefetch: 2 });
    const [a = "", b = "", waiting = ""] = ids;
    const report = await rig.do(
      rig.engine.succeedMany([
        { id: "zzz" },
        sink.ack(0),
        { id: a },
        { id: b, delivery: sink.ack(0).delivery },
        { id: waiting },
        { id: "zzz" },
      ]),
    );
    expect(report).toEqual({ notFound: ["zzz", waiting], stale: [b] });
    expect(await rig.do(rig.engine.count({}))).toBe(2);
  });

  it("lets the first of a repeated id count, whatever the second says", async () => {
    const rig = await Rig.open();
    const [a = "", b = ""] = await rig.enqueueMany(2);
    const { sink } = await rig.take({ prefetch: 2 });
    const wrong = sink.ack(1).delivery;
    const stale = await rig.do(
      rig.engine.succeedMany([{ id: a, delivery: wrong }, sink.ack(0), sink.ack(1), { id: b }]),
    );
    expect(stale).toEqual({ notFound: [], stale: [a] });
    expect(await rig.status(a)).toBe("in_flight");
    const done = await rig.do(rig.engine.succeedMany([sink.ack(0), sink.ack(0), { id: a }]));
    expect(done).toEqual({ notFound: [], stale: [] });
  });

  it("keeps a completed job for its retention, with its payload, and hides it from then on", async () => {
    const rig = await Rig.open();
    const [answer] = await rig.enqueue(request({ payload: { a: 1 }, options: { completedRetentionMs: 5000 } }));
    const id = answer?.job.id ?? "";
    const { sink } = await rig.take();
    await rig.do(rig.engine.succeed(sink.ack(0)));
    const { job, payload } = await rig.do(rig.engine.get(id));
    expect(job).toMatchObject({ status: "completed", attempts: 0 });
    expect(payload.bytes.toString()).toBe('{"a":1}');
    expect(await rig.do(rig.engine.count({ statuses: new Set(["completed"]) }))).toBe(1);
    expect(await rig.do(rig.engine.queues())).toEqual(["q"]);
    await expect(rig.do(rig.engine.succeed({ id }))).rejects.toMatchObject({ code: "JOB_NOT_IN_FLIGHT" });
    await rig.pass(5000);
    await expect(rig.do(rig.engine.get(id))).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
    expect(await rig.do(rig.engine.count({}))).toBe(0);
    expect(await rig.do(rig.engine.queues())).toEqual([]);
    expect(await rig.do(rig.engine.verify())).toEqual([]);
  });
});

describe("failure", () => {
  it("schedules a retry with backoff, keeps its history, and hands it out when it is due, before newer jobs", async () => {
    const rig = await Rig.open();
    const [id = ""] = await rig.enqueueMany(1);
    const { sink } = await rig.take({ prefetch: 2 });
    const failed = await rig.do(
      rig.engine.fail(sink.ack(0), { message: "no", errorType: "E", backtrace: "at x", kill: false }),
    );
    expect(failed).toMatchObject({ status: "scheduled", because: "retry", attempts: 1 });
    expect(failed.readyAt).toBe(rig.clock.now() + 16_000);
    await rig.pass(15_999);
    expect(sink.ids).toEqual([id]);
    await rig.pass(1);
    expect(sink.ids).toEqual([id, id]);
    const page = await rig.do(rig.engine.errors(id, { order: "asc", limit: 10 }));
    expect(page).toMatchObject({
      more: false,
      records: [{ attempt: 1, message: "no", errorType: "E", backtrace: "at x" }],
    });
    await expect(rig.do(rig.engine.error(id, 2))).rejects.toMatchObject({ code: "ATTEMPT_NOT_FOUND" });
  });

  it("comes back on the same stream at once when the retry's time has passed", async () => {
    const rig = await Rig.open();
    await rig.enqueueMany(1);
    const { sink } = await rig.take();
    const failed = await rig.do(rig.engine.fail(sink.ack(0), { message: "no", retryAt: 1, kill: false }));
    expect(failed.status).toBe("scheduled");
    await rig.rest();
    expect(sink.got.map(({ job }) => job.attempts)).toEqual([0, 1]);
  });

  it("kills, keeps the dead job readable for its retention, and refuses a second answer", async () => {
    const rig = await Rig.open();
    const [id = ""] = await rig.enqueueMany(1);
    const { sink } = await rig.take();
    const dead = await rig.do(rig.engine.fail(sink.ack(0), { message: "no", kill: true }));
    expect(dead).toMatchObject({ status: "dead", reason: "killed", attempts: 1 });
    expect(await rig.status(id)).toBe("dead");
    await expect(rig.do(rig.engine.fail(sink.ack(0), { message: "no", kill: true }))).rejects.toMatchObject({
      code: "STALE_DELIVERY",
    });
    await expect(rig.do(rig.engine.fail({ id }, { message: "no", kill: true }))).rejects.toMatchObject({
      code: "JOB_NOT_IN_FLIGHT",
    });
    expect((await rig.do(rig.engine.errors(id, { order: "desc", limit: 1 }))).records.length).toBe(1);
    await rig.do(rig.engine.remove(id));
    await expect(rig.do(rig.engine.remove(id))).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
    expect(await rig.do(rig.engine.verify())).toEqual([]);
  });

  it("leaves nothing of a dead job whose retention is zero, but still answers its state", async () => {
    const rig = await Rig.open();
    const [answer] = await rig.enqueue(request({ options: { retryLimit: 0, deadRetentionMs: 0 } }));
    const { sink } = await rig.take();
    const dead = await rig.do(rig.engine.fail(sink.ack(0), { message: "no", kill: false }));
    expect(dead).toMatchObject({ status: "dead", reason: "retries_exhausted", purgeAt: undefined });
    await expect(rig.do(rig.engine.errors(answer?.job.id ?? "", { order: "asc", limit: 1 }))).rejects.toMatchObject({
      code: "JOB_NOT_FOUND",
    });
    expect(await rig.do(rig.engine.verify())).toEqual([]);
  });
});
