import { describe, expect, test } from "vitest";
import { Worker } from "../src/worker.ts";
import { Gate } from "./fixture/gate.ts";
import { turns, worldForEachTest } from "./fixture/worker-world.ts";

const world = worldForEachTest();

describe("stopping", () => {
  test("stops taking, lets handlers finish, acks, and only then closes the stream", async () => {
    const gate = new Gate();
    const acks = new Gate();
    const ran: string[] = [];
    world.server.script = async () => {
      await acks.pass();
      return undefined;
    };
    const { take, worker } = await world.start({
      concurrency: 2,
      handler: async (job) => {
        ran.push(job.id);
        await gate.pass();
      },
    });
    take.send(...["j1", "j2", "waiting"].map((id) => world.server.job({ id })));
    await gate.waiting(2);
    const stopped = worker.stop();
    expect(worker.state).toBe("draining");
    take.send(world.server.job({ id: "late" }));
    gate.open();
    await acks.waiting(1);
    expect(take.closed).toBe(false);
    acks.open();
    await stopped;
    expect(worker.state).toBe("stopped");
    await world.server.until(() => take.closed);
    expect(world.server.acked()).toEqual(["j1", "j2"]);
    expect(ran).toEqual(["j1", "j2"]);
    expect(world.timers.pending).toEqual([]);
  });

  test("reports handlers that fail meanwhile too", async () => {
    const gate = new Gate();
    const { take, worker, told } = await world.start({
      handler: async (job) => {
        await gate.pass();
        if (job.id.startsWith("bad")) throw new TypeError("x");
      },
    });
    take.send(...["ok1", "ok2", "ok3", "bad1", "bad2"].map((id) => world.server.job({ id })));
    await gate.waiting(5);
    const stopped = worker.stop();
    gate.open();
    await stopped;
    expect(told.filter((text) => text.startsWith("done"))).toHaveLength(3);
    expect(told.filter((text) => text.startsWith("failed"))).toHaveLength(2);
  });

  test("at the deadline fires the handlers' signals and closes the stream, and nothing is acked after that", async () => {
    const running = new Gate();
    const aborted: string[] = [];
    const { take, worker } = await world.start({
      handler: async (job, { signal }) => {
        void running.pass();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        aborted.push(job.id);
      },
    });
    take.send(...["j1", "j2"].map((id) => world.server.job({ id })));
    await running.waiting(2);
    const stopped = worker.stop({ deadlineMs: 25_000 });
    world.timers.advance(24_999);
    await turns(3);
    expect(aborted).toEqual([]);
    world.timers.advance(1);
    await stopped;
    await world.server.until(() => take.closed);
    await turns(5);
    expect(aborted).toEqual(["j1", "j2"]);
    expect(world.server.seen).toEqual([]);
    expect(world.timers.pending).toEqual([]);
  });

  test("gives up answers that cannot be delivered at the deadline", async () => {
    world.server.script = () => "drop";
    const { take, worker } = await world.start();
    take.send(world.server.job());
    await world.server.until(() => world.server.seen.length === 1);
    const stopped = worker.stop({ deadlineMs: 1000 });
    await world.timers.alarmWithin(100, 100);
    world.timers.advance(1000);
    await stopped;
    expect(worker.state).toBe("stopped");
    expect(world.timers.pending).toEqual([]);
  });

  test("twice is fine, and the second call may shorten the deadline", async () => {
    const { take, worker } = await world.start({ handler: () => new Promise(() => {}) });
    take.send(world.server.job());
    await turns(5);
    const stopped = worker.stop();
    const forced = worker.stop({ deadlineMs: 10 });
    world.timers.advance(10);
    await Promise.all([stopped, forced, worker.run(), worker.stop()]);
    expect(worker.state).toBe("stopped");
  });

  test("may have no deadline", async () => {
    const gate = new Gate();
    const { take, worker } = await world.start({ handler: () => gate.pass() });
    take.send(world.server.job());
    await gate.waiting(1);
    const stopped = worker.stop({ deadlineMs: Number.POSITIVE_INFINITY });
    gate.open();
    await expect(stopped).resolves.toBeUndefined();
  });

  test("an idle worker is immediate, also before it ran and while it cannot connect", async () => {
    const { worker } = await world.start();
    await worker.stop();
    const idle = new Worker({ client: world.client, handler: () => {} });
    await idle.stop();
    await expect(idle.run()).resolves.toBeUndefined();
    world.server.takeScript = () => "drop";
    const takes = world.server.takes.length;
    const lonely = new Worker({ client: world.client, handler: () => {} });
    void lonely.run();
    await world.server.take(takes);
    await lonely.stop();
    expect([worker.state, idle.state, lonely.state]).toEqual(["stopped", "stopped", "stopped"]);
    expect(world.timers.pending).toEqual([]);
  });
});

describe("pausing", () => {
  test("ends running jobs, gives back the others, and takes again after resume()", async () => {
    const gate = new Gate();
    const { take, worker, heard } = await world.start({ concurrency: 1, handler: () => gate.pass() });
    take.send(world.server.job({ id: "j1" }), world.server.job({ id: "waiting" }));
    await gate.waiting(1);
    worker.pause();
    gate.open();
    await heard("done j1");
    await world.server.until(() => take.closed);
    expect(worker.state).toBe("paused");
    worker.resume();
    const again = await world.server.take(1);
    again.send(world.server.job({ id: "j2" }));
    await heard("done j2");
    expect(world.server.acked()).toEqual(["j1", "j2"]);
  });

  test("holds when the stream breaks meanwhile", async () => {
    const gate = new Gate();
    const { take, worker, heard } = await world.start({ handler: () => gate.pass() });
    take.send(world.server.job({ id: "j1" }));
    await gate.waiting(1);
    worker.pause();
    take.cut();
    await heard("reconnect");
    world.timers.advance(100);
    const again = await world.server.take(1);
    again.send(world.server.job({ id: "j2" }));
    await turns(5);
    gate.open();
    await heard("done j1");
    expect(worker.state).toBe("paused");
    expect(world.server.acked()).toEqual(["j1"]);
  });
});
