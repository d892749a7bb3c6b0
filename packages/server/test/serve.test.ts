import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../src/base/logger.ts";
import { readConfig } from "../src/config.ts";
import { type RunningServer, serve } from "../src/serve.ts";

let folder = "";
let running: RunningServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-in-process-"));
});

afterEach(async () => {
  for (const server of running) await server.stop();
  running = [];
  await rm(folder, { recursive: true, force: true });
});

async function start(...flags: string[]): Promise<RunningServer> {
  const config = readConfig(["--port", "0", "--root-dir", join(folder, "root"), ...flags], {});
  const server = await serve({ config, logger: silentLogger, onFailure: (cause) => expect.unreachable(String(cause)) });
  running.push(server);
  return server;
}

async function enqueue({ address }: RunningServer): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${address.port}/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"queue": "q", "type": "t", "payload": null}',
  });
  return reply.status;
}

async function count({ address }: RunningServer): Promise<unknown> {
  return await (await fetch(`http://127.0.0.1:${address.port}/jobs/count`)).json();
}

describe("a server inside this process", () => {
  test("serves, stops, twice if asked, and finds its jobs again on the same directory", async () => {
    const first = await start();
    expect(await enqueue(first)).toBe(201);
    await Promise.all([first.stop(), first.stop()]);
    const second = await start();
    await second.ready;
    expect(await count(second)).toEqual({ count: 1 });
  });

  test("leaves the directory to others when its port is taken", async () => {
    const { address } = await start("--ephemeral");
    await expect(start("--port", String(address.port))).rejects.toThrow("EADDRINUSE");
    expect(await enqueue(await start())).toBe(201);
  });

  test("refuses a directory that it has open already", async () => {
    const first = await start();
    await expect(start()).rejects.toThrow("open already in this process");
    expect(await enqueue(first)).toBe(201);
  });

  test("keeps nothing of an ephemeral life", async () => {
    const first = await start("--ephemeral");
    expect(await enqueue(first)).toBe(201);
    await first.stop();
    expect(await count(await start("--ephemeral"))).toEqual({ count: 0 });
  });
});
