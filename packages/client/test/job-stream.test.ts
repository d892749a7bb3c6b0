import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { codecOf } from "../src/codec.ts";
import { HttpTransport } from "../src/http-transport.ts";
import type { TakenJob } from "../src/job.ts";
import { JobStream } from "../src/job-stream.ts";
import { retryPolicy } from "../src/retry.ts";
import type { StreamListener, StreamRequest, TransportStream } from "../src/transport.ts";
import { FakeServer } from "./fixture/fake-server.ts";
import { ManualTimers } from "./fixture/manual-timers.ts";
import { turns } from "./fixture/worker-world.ts";

const PATH = "/jobs/take?prefetch=4&queue=a%2Cb";

let server: FakeServer;
let timers: ManualTimers;
let stream: JobStream<unknown>;
let transport: TappedTransport;
let heard: { opened: number; jobs: TakenJob[]; lost: unknown[]; delays: number[]; refused: unknown[] };

beforeEach(async () => {
  server = await FakeServer.open();
  timers = new ManualTimers();
  transport = new TappedTransport(server.url);
  heard = { opened: 0, jobs: [], lost: [], delays: [], refused: [] };
  const tell = (note: () => void) => {
    note();
    server.wake();
  };
  stream = new JobStream({
    transport,
    codec: codecOf("json"),
    path: PATH,
    headers: { "worker-id": "w1" },
    silenceMs: 30_000,
    retry: retryPolicy({ baseMs: 100 }, timers, () => 1),
    opened: () => tell(() => (heard.opened += 1)),
    job: (job) => heard.jobs.push(job),
    told: () => tell(() => {}),
    lost: (cause, _, delayMs) => tell(() => heard.lost.push(cause) && heard.delays.push(delayMs)),
    refused: (cause) => tell(() => heard.refused.push(cause)),
  });
});

afterEach(async () => {
  stream.close();
  transport.close();
  await server.close();
});

/** A transport whose last stream a test can make hear something. */
class TappedTransport extends HttpTransport {
  hear: (chunk: Buffer) => void = () => {};

  override stream(request: StreamRequest, listener: StreamListener): TransportStream {
    this.hear = (chunk) => listener.bytes(chunk);
    return super.stream(request, listener);
  }
}

async function lost(times: number): Promise<void> {
  await server.until(() => heard.lost.length === times);
}

describe("messages", () => {
  test("arrive as jobs, however they are cut, and heartbeats are no jobs", async () => {
    stream.open();
    const take = await server.take(0);
    take.heartbeat();
    const text = `${JSON.stringify({ ...server.job({ payload: "ü" }), delivery: "d1" })}\n`;
    take.write(`\n${text.slice(0, 30)}`);
    take.write(text.slice(30) + text);
    await server.until(() => heard.jobs.length === 2);
    expect(heard.jobs[0]).toMatchObject({ payload: "ü", delivery: "d1", readyAt: 1 });
    expect(take.headers).toMatchObject({ "worker-id": "w1", accept: "application/x-ndjson" });
  });
});

describe("a stream that breaks", () => {
  test.each(["end", "cut"] as const)("comes back with the same queues and prefetch: %s", async (way) => {
    stream.open();
    (await server.take(0)).heartbeat();
    (await server.take(0))[way]();
    await lost(1);
    timers.advance(100);
    await server.take(1);
    expect(server.takes.map((take) => take.path)).toEqual([PATH, PATH]);
    expect(heard.lost).toMatchObject([{ name: "ConnectionError", kind: "reset" }]);
  });

  test("comes back twice within a moment", async () => {
    stream.open();
    for (const blip of [0, 1]) {
      (await server.take(blip)).cut();
      await lost(blip + 1);
      timers.advance(200);
    }
    (await server.take(2)).send(server.job());
    await server.until(() => heard.jobs.length === 1);
    expect(heard.opened).toBe(3);
  });

  test("waits longer after each failure until it hears from the server again", async () => {
    server.takeScript = (take) => (take < 3 ? "drop" : undefined);
    stream.open();
    for (const failures of [1, 2, 3]) {
      await lost(failures);
      timers.advance(5000);
    }
    (await server.take(3)).heartbeat();
    await server.until(() => heard.opened === 1);
    (await server.take(3)).end();
    await lost(4);
    expect(heard.delays).toEqual([100, 200, 400, 100]);
  });

  test("is given up after 30 s without a byte, not before, and reopened", async () => {
    stream.open();
    const take = await server.take(0);
    await server.until(() => heard.opened === 1);
    timers.advance(20_000);
    take.send(server.job());
    await server.until(() => heard.jobs.length === 1);
    timers.advance(29_999);
    await turns(2);
    expect(heard.lost).toEqual([]);
    timers.advance(1);
    await lost(1);
    expect(heard.lost).toMatchObject([{ kind: "timeout", message: expect.stringContaining("30000 ms") as string }]);
    await server.until(() => take.closed);
    timers.advance(100);
    await expect(server.take(1)).resolves.toMatchObject({ path: PATH });
  });

  test("is not given up for silence when only this process was too busy to listen", async () => {
    stream.open();
    const take = await server.take(0);
    await server.until(() => heard.opened === 1);
    timers.advance(30_000);
    // The alarm has rung; now comes what had been waiting to be read.
    transport.hear(Buffer.from("\n"));
    await turns(2);
    expect(heard.lost).toEqual([]);
    expect(take.closed).toBe(false);
    timers.advance(30_000);
    await lost(1);
  });

  test("says nothing more once it is closed, and sets no alarm", async () => {
    stream.open();
    const take = await server.take(0);
    await server.until(() => heard.opened === 1);
    stream.close();
    await server.until(() => take.closed);
    expect(heard.lost).toEqual([]);
    expect(timers.pending).toEqual([]);
  });

  test("may be closed while it waits to reconnect", async () => {
    server.takeScript = () => "drop";
    stream.open();
    await lost(1);
    stream.close();
    expect(timers.pending).toEqual([]);
  });
});

describe("a refusal", () => {
  const body = { error: "no", code: "FORBIDDEN" };

  test("that a repeat would not change ends the stream", async () => {
    server.takeScript = () => ({ status: 403, body });
    stream.open();
    await server.until(() => heard.refused.length === 1);
    expect(heard.refused).toMatchObject([{ code: "FORBIDDEN", message: "no" }]);
    expect(timers.pending).toEqual([]);
  });

  test.each([
    { status: 503, body: { error: "wait", code: "SHUTTING_DOWN" } },
    { status: 429, body: { error: "wait", code: "QUEUE_FULL" } },
    { status: 404, body: "<html>a proxy without a server</html>", contentType: "text/html" },
  ])("that may pass is met by another try: $status", async (answer) => {
    server.takeScript = (take) => (take === 0 ? answer : undefined);
    stream.open();
    await lost(1);
    timers.advance(100);
    await server.until(() => heard.opened === 1);
    expect(heard.refused).toEqual([]);
  });

  test("a job without a token ends the stream, since it could not be acked safely", async () => {
    stream.open();
    (await server.take(0)).send(server.job({ delivery: undefined }));
    await server.until(() => heard.refused.length === 1);
    expect(heard.refused).toMatchObject([{ code: "NOT_SUPPORTED" }]);
  });
});
