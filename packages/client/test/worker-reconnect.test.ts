import { describe, expect, test } from "vitest";
import { Gate } from "./fixture/gate.ts";
import { worldForEachTest } from "./fixture/worker-world.ts";

const world = worldForEachTest();

describe("an answer that gets lost", () => {
  test("is repeated with its token, and the job is not run again", async () => {
    let runs = 0;
    world.server.script = ({ path }) =>
      path === "/jobs/success" && world.server.to(path).length < 3 ? "drop" : undefined;
    const { take, heard, told } = await world.start({
      handler: () => {
        runs += 1;
      },
    });
    take.send(world.server.job({ id: "j1", delivery: "d7" }));
    await world.timers.alarmWithin(100, 100);
    world.timers.advance(100);
    await world.timers.alarmWithin(200, 200);
    world.timers.advance(200);
    await heard("done j1");
    expect(world.server.to("/jobs/success").map((seen) => seen.body)).toEqual(
      Array.from({ length: 3 }, () => ({ acks: [{ id: "j1", delivery: "d7" }] })),
    );
    expect(runs).toBe(1);
    expect(told.filter((text) => text.startsWith("error"))).toHaveLength(1);
  });

  test("is repeated while the server cannot store it", async () => {
    const busy = { status: 503, body: { error: "disk", code: "STORAGE_UNAVAILABLE" } };
    world.server.script = ({ path }) => (world.server.to(path).length === 1 ? busy : undefined);
    const { take, heard } = await world.start({
      handler: (job) => {
        if (job.id === "bad") throw new TypeError("x");
      },
    });
    take.send(world.server.job({ id: "good" }), world.server.job({ id: "bad" }));
    await world.timers.alarmWithin(100, 100, 2);
    world.timers.advance(100);
    await heard("done good");
    await heard("failed bad TypeError: x scheduled");
  });

  test("is final when the server says that the delivery has ended", async () => {
    world.server.script = ({ path }) => {
      if (path === "/jobs/bad/failure") return { status: 409, body: { error: "stale", code: "STALE_DELIVERY" } };
      const body = { error: "some", code: "SOME_NOT_IN_FLIGHT", not_found: ["gone"], stale: ["old"] };
      return { status: 422, body };
    };
    const { take, told } = await world.start({
      handler: (job) => {
        if (job.id === "bad") throw new TypeError("x");
      },
    });
    take.send(...["gone", "old", "good", "bad"].map((id) => world.server.job({ id })));
    await world.server.until(() => told.length === 4);
    expect(told.toSorted()).toEqual(["done good", "stale bad stale", "stale gone notFound", "stale old stale"]);
    expect(world.server.seen).toHaveLength(2);
  });
});

describe("a stream that breaks", () => {
  test("drops jobs that have not started, for the server hands them out again", async () => {
    const gate = new Gate();
    const ran: string[] = [];
    const handler = async (job: { id: string }) => {
      ran.push(job.id);
      await gate.pass();
    };
    const { take, worker, inState, heard } = await world.start({ concurrency: 1, handler });
    take.send(world.server.job({ id: "j1" }), world.server.job({ id: "j2" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    expect(worker.state).toBe("connecting");
    world.timers.advance(100);
    await inState("running");
    gate.open();
    await heard("done j1");
    (await world.server.take(1)).send(world.server.job({ id: "j3" }));
    await heard("done j3");
    expect(ran).toEqual(["j1", "j3"]);
  });

  test("and brings a running job back does not start it twice: the run ends under the new token", async () => {
    const gate = new Gate();
    let runs = 0;
    const { take, inState, heard } = await world.start({
      handler: async () => {
        runs += 1;
        await gate.pass();
      },
    });
    take.send(world.server.job({ id: "j1", delivery: "d1" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    world.timers.advance(100);
    await inState("running");
    const again = await world.server.take(1);
    again.send(world.server.job({ id: "j1", delivery: "d2" }), world.server.job({ id: "other" }));
    await gate.waiting(2);
    gate.open();
    await heard("done j1");
    expect(runs).toBe(2);
    expect(world.server.to("/jobs/success").flatMap((seen) => (seen.body as { acks: unknown[] }).acks)).toContainEqual({
      id: "j1",
      delivery: "d2",
    });
  });

  test("and brings back a job whose ack is under way has the ack repeated under the new token", async () => {
    const gate = new Gate();
    const runs = new Gate();
    world.server.script = async ({ body }) => {
      const { delivery } = (body as { acks: { delivery: string }[] }).acks[0] ?? {};
      if (delivery !== "d1") return undefined;
      await gate.pass();
      return { status: 422, body: { error: "x", code: "SOME_NOT_IN_FLIGHT", stale: ["j1"] } };
    };
    const { take, inState, heard, told } = await world.start({
      handler: () => {
        void runs.pass();
      },
    });
    take.send(world.server.job({ id: "j1", delivery: "d1" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    world.timers.advance(100);
    await inState("running");
    (await world.server.take(1)).send(
      world.server.job({ id: "j1", delivery: "d2" }),
      world.server.job({ id: "other", delivery: "d3" }),
    );
    await runs.waiting(2);
    gate.open();
    await heard("done j1");
    expect(told).not.toContain("stale j1 stale");
  });
});
