import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Client } from "../src/client.ts";
import { Worker } from "../src/worker.ts";
import type { WorkerOptions } from "../src/worker-options.ts";
import { FakeServer } from "./fixture/fake-server.ts";
import { Gate } from "./fixture/gate.ts";
import { ManualTimers } from "./fixture/manual-timers.ts";

let server: FakeServer;
let timers: ManualTimers;
let client: Client;
let workers: Worker[];

beforeEach(async () => {
  server = await FakeServer.open();
  timers = new ManualTimers();
  client = new Client({ url: server.url, timers, random: () => 1 });
  workers = [];
});

afterEach(async () => {
  for (const worker of workers) {
    const stopped = worker.stop({ deadlineMs: 0 });
    timers.advance(0);
    await stopped;
  }
  await client.close();
  await server.close();
});

/** A worker at work, its first stream, and what it told, in order. */
async function start(options: Partial<WorkerOptions<unknown>> = {}) {
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    server.wake();
  };
  const worker = new Worker({
    client,
    handler: () => {},
    on: {
      error: (cause) => tell(`error ${String((cause as Error).message)}`),
      done: (job) => tell(`done ${job.id}`),
      failed: (job, thrown, after) => tell(`failed ${job.id} ${String(thrown)} ${after.status}`),
      stale: (job, why) => tell(`stale ${job.id} ${why}`),
      reconnect: () => tell("reconnect"),
    },
    ...options,
  });
  workers.push(worker);
  void worker.run();
  const take = await server.take(server.takes.length);
  await server.until(() => worker.state === "running" || worker.state === "paused");
  return { worker, take, told, heard: (text: string) => server.until(() => told.includes(text)) };
}

function jobs(count: number): (Record<string, unknown> & { id: string })[] {
  return Array.from({ length: count }, () => server.job() as Record<string, unknown> & { id: string });
}

describe("working", () => {
  test("asks for its queues with twice its concurrency, and acks each job with its token", async () => {
    const { take, heard } = await start({ queues: ["a", "b"], concurrency: 3, workerId: "w1" });
    expect(take.path).toBe("/jobs/take?prefetch=6&queue=a%2Cb");
    expect(take.headers["worker-id"]).toBe("w1");
    take.send(server.job({ id: "j1", delivery: "d7" }));
    await heard("done j1");
    expect(server.to("/jobs/success").map((seen) => seen.body)).toEqual([{ acks: [{ id: "j1", delivery: "d7" }] }]);
  });

  test("hands the handler the job, and which attempt it is", async () => {
    const seen: unknown[] = [];
    const { take, heard } = await start({ handler: (job, { attempt }) => seen.push([job.payload, attempt]) });
    take.send(server.job({ id: "j1", payload: { n: 1 }, attempts: 2 }));
    await heard("done j1");
    expect(seen).toEqual([[{ n: 1 }, 3]]);
  });

  test("runs at most `concurrency` handlers at once and starts the next as one ends", async () => {
    const gate = new Gate();
    let running = 0;
    let most = 0;
    const { take, told } = await start({
      concurrency: 2,
      handler: async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.pass();
        running -= 1;
      },
    });
    take.send(...jobs(5));
    await gate.waiting(2);
    gate.open();
    await server.until(() => told.length === 5);
    expect(most).toBe(2);
  });

  test("gathers acks while a request is under way", async () => {
    const gate = new Gate();
    server.script = async () => {
      await gate.pass();
      return undefined;
    };
    const { take, told } = await start();
    take.send(...jobs(1));
    await gate.waiting(1);
    take.send(...jobs(3));
    take.send(...jobs(3));
    gate.open();
    await server.until(() => told.length === 7);
    expect(server.to("/jobs/success").map((seen) => (seen.body as { acks: unknown[] }).acks.length)).toEqual([1, 6]);
  });
});

describe("a handler that fails", () => {
  class PaymentError extends Error {
    override name = "PaymentError";
  }

  test("is reported with message, name and stack", async () => {
    const { take, heard } = await start({
      handler: async () => {
        throw new PaymentError("card refused");
      },
    });
    take.send(server.job({ id: "j1", delivery: "d7" }));
    await heard("failed j1 PaymentError: card refused scheduled");
    expect(server.to("/jobs/j1/failure").map((seen) => seen.body)).toEqual([
      {
        message: "card refused",
        error_type: "PaymentError",
        backtrace: expect.stringContaining("worker.test.ts") as string,
        delivery: "d7",
      },
    ]);
  });

  test.each<[unknown, string]>([
    ["just text", "just text"],
    [undefined, "undefined"],
    [null, "null"],
    [{ code: 7 }, "{ code: 7 }"],
    [Object.create(null), "[Object: null prototype] {}"],
    [Symbol("s"), "Symbol(s)"],
  ])("may throw what is no Error: %s", async (thrown, message) => {
    const { take, told } = await start({
      handler: () => {
        throw thrown;
      },
      on: { failed: (job) => told.push(job.id) && server.wake() },
    });
    take.send(server.job({ id: "j1" }));
    await server.until(() => told.includes("j1"));
    expect(server.to("/jobs/j1/failure").map((seen) => seen.body)).toEqual([{ message, delivery: "d1" }]);
  });

  test("does not disturb the jobs beside it", async () => {
    const { take, heard } = await start({
      handler: (job) => {
        if (job.id === "bad") throw new PaymentError("x");
      },
    });
    take.send(server.job({ id: "bad" }), server.job({ id: "good" }));
    await heard("done good");
    await heard("failed bad PaymentError: x scheduled");
  });
});

describe("an answer that gets lost", () => {
  test("is repeated with its token, and the job is not run again", async () => {
    let runs = 0;
    server.script = ({ path }) => (path === "/jobs/success" && server.to(path).length < 3 ? "drop" : undefined);
    const { take, heard, told } = await start({ handler: () => void (runs += 1) });
    take.send(server.job({ id: "j1", delivery: "d7" }));
    await timers.alarmWithin(100, 100);
    timers.advance(100);
    await timers.alarmWithin(200, 200);
    timers.advance(200);
    await heard("done j1");
    expect(server.to("/jobs/success").map((seen) => seen.body)).toEqual(
      Array.from({ length: 3 }, () => ({ acks: [{ id: "j1", delivery: "d7" }] })),
    );
    expect(runs).toBe(1);
    expect(told.filter((text) => text.startsWith("error"))).toHaveLength(1);
  });

  test("is repeated while the server cannot store it", async () => {
    const busy = { status: 503, body: { error: "disk", code: "STORAGE_UNAVAILABLE" } };
    server.script = ({ path }) => (server.to(path).length === 1 ? busy : undefined);
    const { take, heard } = await start({
      handler: (job) => {
        if (job.id === "bad") throw new TypeError("x");
      },
    });
    take.send(server.job({ id: "good" }), server.job({ id: "bad" }));
    await server.until(() => server.to("/jobs/success").length === 1 && server.to("/jobs/bad/failure").length === 1);
    await timers.alarmWithin(100, 100);
    timers.advance(100);
    await heard("done good").then(() => timers.advance(100));
    await heard("failed bad TypeError: x scheduled");
  });

  test("is final when the server says that the delivery has ended", async () => {
    server.script = ({ path }) => {
      if (path === "/jobs/bad/failure") return { status: 409, body: { error: "stale", code: "STALE_DELIVERY" } };
      const body = { error: "some", code: "SOME_NOT_IN_FLIGHT", not_found: ["gone"], stale: ["old"] };
      return { status: 422, body };
    };
    const { take, told } = await start({
      handler: (job) => {
        if (job.id === "bad") throw new TypeError("x");
      },
    });
    take.send(...["gone", "old", "good", "bad"].map((id) => server.job({ id })));
    await server.until(() => told.length === 4);
    expect(told.toSorted()).toEqual(["done good", "stale bad stale", "stale gone notFound", "stale old stale"]);
    expect(server.seen).toHaveLength(2);
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
    const { take, worker, heard } = await start({ concurrency: 1, handler });
    take.send(server.job({ id: "j1" }), server.job({ id: "j2" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    expect(worker.state).toBe("connecting");
    timers.advance(100);
    await server.until(() => worker.state === "running");
    gate.open();
    await heard("done j1");
    (await server.take(1)).send(server.job({ id: "j3" }));
    await heard("done j3");
    expect(ran).toEqual(["j1", "j3"]);
  });

  test("and brings a running job back does not start it twice: the run ends under the new token", async () => {
    const gate = new Gate();
    let runs = 0;
    const { take, worker, heard } = await start({
      handler: async () => {
        runs += 1;
        await gate.pass();
      },
    });
    take.send(server.job({ id: "j1", delivery: "d1" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    timers.advance(100);
    await server.until(() => worker.state === "running");
    const again = await server.take(1);
    again.send(server.job({ id: "j1", delivery: "d2" }), server.job({ id: "other" }));
    await gate.waiting(2);
    gate.open();
    await heard("done j1");
    expect(runs).toBe(2);
    expect(server.to("/jobs/success").flatMap((seen) => (seen.body as { acks: unknown[] }).acks)).toContainEqual({
      id: "j1",
      delivery: "d2",
    });
  });

  test("and brings back a job whose ack is under way has the ack repeated under the new token", async () => {
    const gate = new Gate();
    let runs = 0;
    server.script = async ({ body }) => {
      const { delivery } = (body as { acks: { delivery: string }[] }).acks[0] ?? {};
      if (delivery !== "d1") return undefined;
      await gate.pass();
      return { status: 422, body: { error: "x", code: "SOME_NOT_IN_FLIGHT", stale: ["j1"] } };
    };
    const { take, worker, heard, told } = await start({ handler: () => void (runs += 1) });
    take.send(server.job({ id: "j1", delivery: "d1" }));
    await gate.waiting(1);
    take.cut();
    await heard("reconnect");
    timers.advance(100);
    await server.until(() => worker.state === "running");
    (await server.take(1)).send(server.job({ id: "j1", delivery: "d2" }), server.job({ id: "other" }));
    await server.until(() => runs === 2);
    gate.open();
    await heard("done j1");
    expect(told).not.toContain("stale j1 stale");
  });
});

describe("stopping", () => {
  test("stops taking, lets handlers finish, acks, and only then closes the stream", async () => {
    const gate = new Gate();
    const acks = new Gate();
    const ran: string[] = [];
    server.script = async () => {
      await acks.pass();
      return undefined;
    };
    const { take, worker } = await start({
      concurrency: 2,
      handler: async (job) => {
        ran.push(job.id);
        await gate.pass();
      },
    });
    take.send(...["j1", "j2", "waiting"].map((id) => server.job({ id })));
    await gate.waiting(2);
    const stopped = worker.stop();
    expect(worker.state).toBe("draining");
    take.send(server.job({ id: "late" }));
    gate.open();
    await acks.waiting(1);
    expect(take.closed).toBe(false);
    acks.open();
    await stopped;
    expect(worker.state).toBe("stopped");
    await server.until(() => take.closed);
    expect(server.acked()).toEqual(["j1", "j2"]);
    expect(ran).toEqual(["j1", "j2"]);
    expect(timers.pending).toEqual([]);
  });

  test("reports handlers that fail meanwhile too", async () => {
    const gate = new Gate();
    const { take, worker, told } = await start({
      handler: async (job) => {
        await gate.pass();
        if (job.id.startsWith("bad")) throw new TypeError("x");
      },
    });
    take.send(...["ok1", "ok2", "ok3", "bad1", "bad2"].map((id) => server.job({ id })));
    await gate.waiting(5);
    const stopped = worker.stop();
    gate.open();
    await stopped;
    expect(told.filter((text) => text.startsWith("done"))).toHaveLength(3);
    expect(told.filter((text) => text.startsWith("failed"))).toHaveLength(2);
  });

  test("at the deadline fires the handlers' signals and closes the stream, and nothing is acked after that", async () => {
    const aborted: string[] = [];
    const ended = new Gate();
    const { take, worker } = await start({
      handler: (job, { signal }) =>
        new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            aborted.push(job.id);
            resolve(ended.pass());
          });
        }),
    });
    take.send(...jobs(2).map((job, i) => ({ ...job, id: `j${i}` })));
    await server.until(() => worker.state === "running");
    take.send(server.job({ id: "j2" }));
    await turns(5);
    const stopped = worker.stop({ deadlineMs: 25_000 });
    timers.advance(24_999);
    expect(aborted).toEqual([]);
    timers.advance(1);
    await stopped;
    expect(aborted).toEqual(["j0", "j1", "j2"]);
    await server.until(() => take.closed);
    ended.open();
    await turns(5);
    expect(server.seen).toEqual([]);
    expect(timers.pending).toEqual([]);
  });

  test("gives up answers that cannot be delivered at the deadline", async () => {
    server.script = () => "drop";
    const { take, worker } = await start();
    take.send(server.job());
    await server.until(() => server.seen.length === 1);
    const stopped = worker.stop({ deadlineMs: 1000 });
    await timers.alarmWithin(100, 100);
    timers.advance(1000);
    await stopped;
    expect(worker.state).toBe("stopped");
    expect(timers.pending).toEqual([]);
  });

  test("twice is fine, and the second call may shorten the deadline", async () => {
    const { take, worker } = await start({ handler: () => new Promise(() => {}) });
    take.send(server.job());
    await turns(5);
    const stopped = worker.stop();
    const forced = worker.stop({ deadlineMs: 10 });
    timers.advance(10);
    await Promise.all([stopped, forced, worker.run(), worker.stop()]);
    expect(worker.state).toBe("stopped");
  });

  test("an idle worker is immediate, also before it ran and while it cannot connect", async () => {
    const { worker } = await start();
    await worker.stop();
    const idle = new Worker({ client, handler: () => {} });
    await idle.stop();
    await expect(idle.run()).resolves.toBeUndefined();
    server.takeScript = () => "drop";
    const takes = server.takes.length;
    const lonely = new Worker({ client, handler: () => {} });
    void lonely.run();
    await server.take(takes);
    await lonely.stop();
    expect([worker.state, idle.state, lonely.state]).toEqual(["stopped", "stopped", "stopped"]);
    expect(timers.pending).toEqual([]);
  });
});

describe("pausing", () => {
  test("ends running jobs, gives back the others, and takes again after resume()", async () => {
    const gate = new Gate();
    const { take, worker, heard } = await start({ concurrency: 1, handler: () => gate.pass() });
    take.send(server.job({ id: "j1" }), server.job({ id: "waiting" }));
    await gate.waiting(1);
    worker.pause();
    gate.open();
    await heard("done j1");
    await server.until(() => take.closed);
    expect(worker.state).toBe("paused");
    worker.resume();
    const again = await server.take(1);
    again.send(server.job({ id: "j2" }));
    await heard("done j2");
    expect(server.acked()).toEqual(["j1", "j2"]);
  });

  test("holds when the stream breaks meanwhile", async () => {
    const gate = new Gate();
    const { take, worker, heard } = await start({ handler: () => gate.pass() });
    take.send(server.job({ id: "j1" }));
    await gate.waiting(1);
    worker.pause();
    take.cut();
    await heard("reconnect");
    timers.advance(100);
    const again = await server.take(1);
    again.send(server.job({ id: "j2" }));
    await turns(5);
    gate.open();
    await heard("done j1");
    expect(worker.state).toBe("paused");
    expect(server.acked()).toEqual(["j1"]);
  });
});

describe("what goes wrong around it", () => {
  test("a listener that throws is reported and breaks nothing", async () => {
    const errors: unknown[] = [];
    const { take, worker, heard } = await start();
    worker.on("job", () => {
      throw new RangeError("a listener's own");
    });
    worker.on("error", (cause) => {
      errors.push(cause);
      throw cause;
    });
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    take.send(server.job({ id: "j1" }));
    await heard("done j1");
    expect(errors).toEqual([new RangeError("a listener's own")]);
    await expect(warned).resolves.toMatchObject({ message: "a listener's own" });
  });

  test("a listener can be taken away again", async () => {
    const seen: string[] = [];
    const { take, worker, heard } = await start();
    const off = worker.on("done", (job) => seen.push(job.id));
    take.send(server.job({ id: "j1" }));
    await heard("done j1");
    off();
    take.send(server.job({ id: "j2" }));
    await heard("done j2");
    expect(seen).toEqual(["j1"]);
  });

  test("a server that refuses the stream for good ends the worker, and run() says why", async () => {
    server.takeScript = () => ({ status: 403, body: { error: "no", code: "FORBIDDEN" } });
    const worker = new Worker({ client, handler: () => {} });
    await expect(worker.run()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(worker.state).toBe("stopped");
  });

  test("options out of range are refused at once", () => {
    const refused = (options: Partial<WorkerOptions<unknown>>) => () => new Worker({ handler: () => {}, ...options });
    expect(refused({ concurrency: 0 })).toThrow("concurrency must be a whole number");
    expect(refused({ prefetch: 1.5 })).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
    expect(refused({ queues: ["a,b"] })).toThrow(expect.objectContaining({ code: "INVALID_NAME" }));
    expect(refused({ workerId: "a\nb" })).toThrow("printable ASCII");
  });
});

/** Lets what is already on its way arrive: only for showing that something does not happen, or began long ago. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
