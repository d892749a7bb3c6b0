import { describe, expect, test } from "vitest";
import { Worker } from "../src/worker.ts";
import type { WorkerOptions } from "../src/worker-options.ts";
import { Gate } from "./fixture/gate.ts";
import { worldForEachTest } from "./fixture/worker-world.ts";

const world = worldForEachTest();

function jobs(count: number): (Record<string, unknown> & { id: string })[] {
  return Array.from({ length: count }, () => world.server.job() as Record<string, unknown> & { id: string });
}

describe("working", () => {
  test("asks for its queues with twice its concurrency, and acks each job with its token", async () => {
    const { take, heard } = await world.start({ queues: ["a", "b"], concurrency: 3, workerId: "w1" });
    expect(take.path).toBe("/jobs/take?prefetch=6&queue=a%2Cb");
    expect(take.headers["worker-id"]).toBe("w1");
    take.send(world.server.job({ id: "j1", delivery: "d7" }));
    await heard("done j1");
    expect(world.server.to("/jobs/success").map((seen) => seen.body)).toEqual([
      { acks: [{ id: "j1", delivery: "d7" }] },
    ]);
  });

  test("hands the handler the job, and which attempt it is", async () => {
    const seen: unknown[] = [];
    const { take, heard } = await world.start({ handler: (job, { attempt }) => seen.push([job.payload, attempt]) });
    take.send(world.server.job({ id: "j1", payload: { n: 1 }, attempts: 2 }));
    await heard("done j1");
    expect(seen).toEqual([[{ n: 1 }, 3]]);
  });

  test("runs at most `concurrency` handlers at once and starts the next as one ends", async () => {
    const gate = new Gate();
    let running = 0;
    let most = 0;
    const { take, told } = await world.start({
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
    await world.server.until(() => told.length === 5);
    expect(most).toBe(2);
  });

  test("gathers acks while a request is under way", async () => {
    const gate = new Gate();
    world.server.script = async () => {
      await gate.pass();
      return undefined;
    };
    const { take, told } = await world.start();
    take.send(...jobs(1));
    await gate.waiting(1);
    take.send(...jobs(3));
    take.send(...jobs(3));
    gate.open();
    await world.server.until(() => told.length === 7);
    expect(world.server.to("/jobs/success").map((seen) => (seen.body as { acks: unknown[] }).acks.length)).toEqual([
      1, 6,
    ]);
  });
});

describe("a handler that fails", () => {
  class PaymentError extends Error {
    override name = "PaymentError";
  }

  test("is reported with message, name and stack", async () => {
    const { take, heard } = await world.start({
      handler: async () => {
        throw new PaymentError("card refused");
      },
    });
    take.send(world.server.job({ id: "j1", delivery: "d7" }));
    await heard("failed j1 PaymentError: card refused scheduled");
    expect(world.server.to("/jobs/j1/failure").map((seen) => seen.body)).toEqual([
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
    const { take, told } = await world.start({
      handler: () => {
        throw thrown;
      },
      on: { failed: (job) => told.push(job.id) && world.server.wake() },
    });
    take.send(world.server.job({ id: "j1" }));
    await world.server.until(() => told.includes("j1"));
    expect(world.server.to("/jobs/j1/failure").map((seen) => seen.body)).toEqual([{ message, delivery: "d1" }]);
  });

  test("does not disturb the jobs beside it", async () => {
    const { take, heard } = await world.start({
      handler: (job) => {
        if (job.id === "bad") throw new PaymentError("x");
      },
    });
    take.send(world.server.job({ id: "bad" }), world.server.job({ id: "good" }));
    await heard("done good");
    await heard("failed bad PaymentError: x scheduled");
  });
});

describe("what goes wrong around it", () => {
  test("a listener that throws is reported and breaks nothing", async () => {
    const errors: unknown[] = [];
    const { take, worker, heard } = await world.start();
    worker.on("job", () => {
      throw new RangeError("a listener's own");
    });
    worker.on("error", (cause) => {
      errors.push(cause);
      throw cause;
    });
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    take.send(world.server.job({ id: "j1" }));
    await heard("done j1");
    expect(errors).toEqual([new RangeError("a listener's own")]);
    await expect(warned).resolves.toMatchObject({ message: "a listener's own" });
  });

  test("a listener can be taken away again", async () => {
    const seen: string[] = [];
    const { take, worker, heard } = await world.start();
    const off = worker.on("done", (job) => seen.push(job.id));
    take.send(world.server.job({ id: "j1" }));
    await heard("done j1");
    off();
    take.send(world.server.job({ id: "j2" }));
    await heard("done j2");
    expect(seen).toEqual(["j1"]);
  });

  test("a server that refuses the stream for good ends the worker, and run() says why", async () => {
    world.server.takeScript = () => ({ status: 403, body: { error: "no", code: "FORBIDDEN" } });
    const worker = new Worker({ client: world.client, handler: () => {} });
    await expect(worker.run()).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(worker.state).toBe("stopped");
  });

  test("a client that is closed under a worker ends it, and run() says so", async () => {
    const { worker, told, inState } = await world.start();
    await world.client.close();
    await inState("stopped");
    await expect(worker.run()).rejects.toMatchObject({ kind: "closed" });
    expect(told).toHaveLength(1);
  });

  test("options out of range are refused at once", () => {
    const refused = (options: Partial<WorkerOptions<unknown>>) => () => new Worker({ handler: () => {}, ...options });
    expect(refused({ concurrency: 0 })).toThrow("concurrency must be a whole number");
    expect(refused({ prefetch: 1.5 })).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
    expect(refused({ queues: ["a,b"] })).toThrow(expect.objectContaining({ code: "INVALID_NAME" }));
    expect(refused({ workerId: "a\nb" })).toThrow("printable ASCII");
  });
});
