/** Take streams of a real server under bad manners: readers that reset, never read, come and go. */
import { once } from "node:events";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, type TakenJob, take } from "./plain-http.ts";
import { ServerUnderTest } from "./server-under-test.ts";

let server: ServerUnderTest;
let agent: Agent;

beforeEach(async () => {
  server = new ServerUnderTest(["--heartbeat-interval", "200ms"]);
  agent = new Agent({ keepAlive: true });
  await server.start();
});

afterEach(async () => {
  agent.destroy();
  await server.end("SIGKILL");
  server.remove();
});

async function enqueue(count: number, payload: (n: number) => unknown = (n) => ({ n })): Promise<string[]> {
  const jobs = Array.from({ length: count }, (_, n) => ({ queue: "q", type: "t", payload: payload(n) }));
  const answer = await call(agent, server.port, "POST", "/jobs/bulk", { jobs });
  expect(answer.status).toBe(201);
  return (answer.body as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
}

async function count(query: string): Promise<number> {
  return ((await call(agent, server.port, "GET", `/jobs/count?${query}`)).body as { count: number }).count;
}

/** A raw take stream: bytes are only read when the test reads. */
async function rawTake(query: string): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write(`GET /jobs/take${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

/** Resolves when so many jobs came on a fresh stream; the stream is closed then. */
async function takeAll(jobs: number): Promise<TakenJob[]> {
  const got: TakenJob[] = [];
  await new Promise<void>((resolve, reject) => {
    const stream = take({
      port: server.port,
      query: `?prefetch=${jobs}`,
      onJob: (job) => {
        got.push(job);
        if (got.length === jobs) {
          resolve();
          stream.close();
        }
      },
    });
    stream.opened.catch(reject);
  });
  return got;
}

/** Asks again until the answer is as expected; each question is a round trip, so nothing spins. */
async function until(query: string, expected: number): Promise<void> {
  while ((await count(query)) !== expected);
}

/** Chunks of one byte, a line break. */
function heartbeatsIn(received: string): number {
  return received.split("1\r\n\n\r\n").length - 1;
}

describe("a take stream", () => {
  it("that is reset after one of fifty lines gives all fifty back within a second, in order", async () => {
    const ids = await enqueue(50);
    const socket = await rawTake("?prefetch=50");
    await until("status=in_flight", 50);
    socket.once("readable", () => socket.read(200));
    await once(socket, "readable");
    const began = performance.now();
    socket.resetAndDestroy();
    await until("status=ready", 50);
    expect(performance.now() - began).toBeLessThan(1000);
    expect((await takeAll(50)).map(({ id }) => id)).toEqual(ids);
  });

  it("that never reads holds up nobody, costs little memory, and gives everything back when it is reset", async () => {
    for (let part = 0; part < 4; part += 1) await enqueue(100, (n) => ({ n, filler: "x".repeat(64_000) }));
    const before = server.residentBytes();
    const deaf = await rawTake("?prefetch=400");
    await until("status=in_flight", 400);
    await enqueue(20);
    const others = await takeAll(20);
    expect(others.length).toBe(20);
    expect(server.residentBytes() - before).toBeLessThan(64 * 1024 * 1024);
    deaf.resetAndDestroy();
    await until("status=ready", 420);
    expect((await takeAll(420)).length).toBe(420);
  });

  it("stays up and beats while nothing happens", async () => {
    const socket = await rawTake("");
    socket.setEncoding("latin1");
    let received = "";
    await new Promise<void>((resolve, reject) => {
      socket.on("data", (text: string) => {
        received += text;
        if (heartbeatsIn(received) >= 20) resolve();
      });
      socket.once("close", () => reject(new Error("the stream ended")));
      socket.resume();
    });
    expect(heartbeatsIn(received)).toBeGreaterThanOrEqual(20);
    socket.destroy();
  });

  it("opened and closed a thousand times leaves nothing behind", { timeout: 60_000 }, async () => {
    const cycle = async (times: number) => {
      for (let i = 0; i < times; i += 1) {
        const stream = take({ port: server.port, query: "?prefetch=5", onJob: () => undefined });
        await stream.opened;
        stream.close();
      }
    };
    await enqueue(20);
    await cycle(300);
    await until("status=ready", 20);
    const files = server.openFiles();
    const memory = server.residentBytes();
    await cycle(1000);
    await until("status=ready", 20);
    expect(server.openFiles()).toBeLessThanOrEqual(files + 2);
    expect(server.residentBytes() - memory).toBeLessThan(32 * 1024 * 1024);
  });
});
