import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Client, type ClientOptions } from "../src/client.ts";
import { FakeServer } from "./fixture/fake-server.ts";
import { ManualTimers } from "./fixture/manual-timers.ts";

let server: FakeServer;
let clients: Client[];

beforeEach(async () => {
  server = await FakeServer.open();
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.close();
});

function open(options: ClientOptions = {}): Client {
  const client = new Client({ url: server.url, retry: { baseMs: 1 }, ...options });
  clients.push(client);
  return client;
}

const job = { type: "t", queue: "q", payload: { n: 1 } };

describe("enqueue", () => {
  test("sends one job and answers it with its flags", async () => {
    const answer = await open().enqueue({ ...job, readyAt: new Date(1_800_000_000_000) });
    expect(answer).toMatchObject({ type: "t", queue: "q", duplicate: false, folded: false });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      path: "/jobs",
      body: { type: "t", queue: "q", payload: { n: 1 }, ready_at: 1_800_000_000_000 },
    });
  });

  test("refuses what JSON cannot hold before anything is sent", async () => {
    const refused = expect.objectContaining({ name: "QueueError", code: "INVALID_FIELD" });
    await expect(open().enqueue({ ...job, payload: { f: () => 1 } })).rejects.toThrow(refused);
    await expect(open().enqueue({ ...job, readyAt: 1_773_464_269 })).rejects.toThrow("did you mean 1773464269000?");
    await expect(open().enqueueBulk([job, { ...job, payload: undefined }])).rejects.toThrow(refused);
    expect(server.seen).toEqual([]);
  });

  test("gathers calls into bulk requests in which a bad member spoils only its own call", async () => {
    server.script = ({ path, body }) => {
      if (path !== "/jobs/bulk") return undefined;
      const index = (body as { jobs: { queue: string }[] }).jobs.findIndex((member) => member.queue === "a,b");
      if (index < 0) return undefined;
      return { status: 400, body: { error: `jobs[${index}]: queue`, code: "INVALID_NAME", index } };
    };
    const client = open();
    const answers = await Promise.allSettled(["q1", "a,b", "q2"].map((queue) => client.enqueue({ ...job, queue })));
    expect(answers).toMatchObject([
      { value: { queue: "q1" } },
      { reason: { code: "INVALID_NAME", message: "queue" } },
      { value: { queue: "q2" } },
    ]);
    expect(server.seen.map((seen) => seen.path)).toEqual(["/jobs/bulk", "/jobs/bulk"]);
  });

  test("is not repeated when the answer is lost, and says that it may have happened", async () => {
    server.script = () => "drop";
    await expect(open().enqueue(job)).rejects.toMatchObject({
      name: "ConnectionError",
      kind: "reset",
      mayHaveHappened: true,
      url: server.url,
    });
    expect(server.seen).toHaveLength(1);
  });

  test("is repeated while nobody listens, and says so in the end", async () => {
    const gone = await FakeServer.open();
    await gone.close();
    await expect(open({ url: gone.url, retry: { baseMs: 1, attemptsMax: 3 } }).enqueue(job)).rejects.toMatchObject({
      name: "ConnectionError",
      kind: "unreachable",
      mayHaveHappened: false,
      message: expect.stringContaining("ECONNREFUSED") as string,
    });
  });

  test("goes through once the server is back", async () => {
    const { port } = server;
    await server.close();
    const timers = new ManualTimers();
    const answer = open({ url: `http://127.0.0.1:${port}`, timers, retry: { baseMs: 100 } }).enqueue(job);
    await timers.alarmWithin(50, 100);
    server = await FakeServer.open({ port });
    timers.advance(100);
    await expect(answer).resolves.toMatchObject({ type: "t" });
  });
});

describe("a reply that does not come", () => {
  test("fails after the time limit as a timeout that may have happened", async () => {
    const timers = new ManualTimers();
    server.script = () => new Promise(() => {});
    const answer = open({ timers, timeoutMs: 15_000, retry: { attemptsMax: 1 } }).count();
    await server.until(() => server.seen.length === 1);
    timers.advance(15_000);
    await expect(answer).rejects.toMatchObject({ kind: "timeout", mayHaveHappened: true });
    expect(timers.pending).toEqual([]);
  });

  test("is asked for again when asking changes nothing", async () => {
    server.script = () => (server.seen.length < 3 ? "drop" : { status: 200, body: { count: 7 } });
    await expect(open().count({ queue: "q" })).resolves.toBe(7);
    expect(server.to("/jobs/count?queue=q")).toHaveLength(3);
  });
});

describe("refusals", () => {
  test("carry the server's code, text and details", async () => {
    server.script = () => ({ status: 404, body: { error: "no such job", code: "JOB_NOT_FOUND" } });
    await expect(open().get("x/y")).rejects.toMatchObject({
      name: "QueueError",
      code: "JOB_NOT_FOUND",
      message: "no such job",
    });
    expect(server.seen[0]?.path).toBe("/jobs/x%2Fy");
  });

  test("of a server that is newer keep their status's meaning", async () => {
    server.script = () => ({ status: 413, body: { error: "too much", code: "TOO_MUCH" } });
    await expect(open().get("x")).rejects.toMatchObject({ code: "BODY_TOO_LARGE", message: "too much (TOO_MUCH)" });
  });

  test("of something that is no Millrace server say so", async () => {
    server.script = () => ({ status: 404, body: "<html>", contentType: "text/html" });
    await expect(open({ retry: { attemptsMax: 1 } }).get("x")).rejects.toMatchObject({
      name: "ConnectionError",
      kind: "protocol",
    });
    server.script = () => ({ status: 502, body: "<html>", contentType: "text/html" });
    await expect(open({ retry: { attemptsMax: 1 } }).get("x")).rejects.toMatchObject({ code: "INTERNAL" });
    server.script = () => ({ status: 200, body: "<html>", contentType: "text/html" });
    await expect(open({ retry: { attemptsMax: 1 } }).get("x")).rejects.toMatchObject({ kind: "protocol" });
  });
});

describe("reading", () => {
  test("list() follows the links to the end, as they are", async () => {
    const pages: Record<string, unknown> = {
      "/jobs?limit=2&queue=q": {
        jobs: [server.job({ payload: 1 }), server.job({ payload: 2 })],
        pages: { self: "", next: "/jobs?from=x&limit=2", prev: null },
      },
      "/jobs?from=x&limit=2": {
        jobs: [server.job({ payload: 3 })],
        pages: { self: "", next: null, prev: "/jobs?from=y" },
      },
    };
    server.script = ({ path }) => ({ status: 200, body: pages[path] });
    const payloads: unknown[] = [];
    for await (const found of open().list<number>({ queue: "q", limit: 2 })) payloads.push(found.payload);
    expect(payloads).toEqual([1, 2, 3]);
    await expect(open().listPage("/jobs?from=x&limit=2")).resolves.toMatchObject({ prev: "/jobs?from=y" });
  });

  test("errors() walks a job's failed attempts", async () => {
    const record = (attempt: number) => ({ attempt, message: "m", error_type: "E", dequeued_at: 1, failed_at: 2 });
    server.script = ({ path }) => ({
      status: 200,
      body: path.includes("from")
        ? { errors: [record(2)], pages: { self: "", next: null, prev: null } }
        : { errors: [record(1)], pages: { self: "", next: "/jobs/j/errors?from=1", prev: null } },
    });
    const found = [];
    for await (const error of open().errors("j", { limit: 1 })) found.push(error);
    expect(found).toEqual(
      [1, 2].map((attempt) => ({ attempt, message: "m", errorType: "E", dequeuedAt: 1, failedAt: 2 })),
    );
  });

  test("integers beyond 2^53 arrive exactly in a payload", async () => {
    const text = JSON.stringify(server.job({ payload: 0 })).replace('"payload":0', '"payload":{"n":9007199254740993}');
    server.script = () => ({ status: 200, body: text });
    expect((await open().get("x")).payload).toEqual({ n: 9007199254740993n });
  });

  test("a base URL's own path goes in front of every route", async () => {
    server.script = () => ({ status: 200, body: { queues: ["a"] } });
    await expect(open({ url: `${server.url}/mill/` }).queues()).resolves.toEqual(["a"]);
    expect(server.seen[0]?.path).toBe("/mill/queues");
  });
});

describe("settling", () => {
  test("with a token is repeated until answered, without one it is not", async () => {
    server.script = () => (server.seen.length % 2 === 1 ? "drop" : undefined);
    await open().success({ id: "a", delivery: "d" });
    expect(server.to("/jobs/a/success").map((seen) => seen.body)).toEqual([{ delivery: "d" }, { delivery: "d" }]);
    server.seen.length = 0;
    await expect(open().success({ id: "a" })).rejects.toMatchObject({ mayHaveHappened: true });
    expect(server.to("/jobs/a/success").map((seen) => seen.body)).toEqual([undefined]);
  });

  test("of many reports what could not be settled", async () => {
    const error = { error: "some", code: "SOME_NOT_IN_FLIGHT", not_found: ["b"], stale: ["c"] };
    server.script = () => ({ status: 422, body: error });
    const report = await open().successMany([{ id: "a" }, { id: "b" }, { id: "c", delivery: "d" }]);
    expect(report).toEqual({ notFound: ["b"], stale: ["c"] });
    expect(server.seen[0]?.body).toEqual({ acks: [{ id: "a" }, { id: "b" }, { id: "c", delivery: "d" }] });
  });

  test("as failed answers the job's new state", async () => {
    const after = await open().failure({ id: "a", delivery: "d" }, { message: "m", errorType: "E", kill: true });
    expect(after).toMatchObject({ status: "scheduled", attempts: 1 });
    expect(server.seen[0]?.body).toEqual({ message: "m", error_type: "E", kill: true, delivery: "d" });
  });
});

describe("closing", () => {
  test("waits for enqueues under way and refuses what comes later", async () => {
    const client = open();
    const answer = client.enqueue(job);
    await client.close();
    await client.close();
    await expect(answer).resolves.toMatchObject({ type: "t" });
    await expect(client.count()).rejects.toMatchObject({ name: "ConnectionError", kind: "closed" });
    await expect(client.enqueue(job)).rejects.toMatchObject({ kind: "closed", mayHaveHappened: false });
  });

  test("ends a read that is waiting for another try", async () => {
    const timers = new ManualTimers();
    server.script = () => "drop";
    const client = open({ timers, retry: { baseMs: 4000 } });
    const answer = client.count();
    await timers.alarmWithin(1, 4000);
    const settled = expect(answer).rejects.toMatchObject({ name: "ConnectionError" });
    await client.close();
    await settled;
    expect(timers.pending).toEqual([]);
  });
});
