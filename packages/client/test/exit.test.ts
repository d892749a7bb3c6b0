import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeServer } from "./fixture/fake-server.ts";

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.open();
});

afterEach(() => server.close());

/** Runs the built package in a process of its own, as users do; answers what it printed when it ended by itself. */
async function run(script: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script, server.url], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return `${printed}exit ${code}`;
}

test("a process with a worker ends by itself after stop()", async () => {
  const ended = run(`
    import { Worker } from "@millrace/client/worker";
    const worker = new Worker({ url: process.argv[1], handler: () => {} });
    worker.on("done", async () => {
      await worker.stop();
      console.log(worker.state);
    });
    await worker.run();
  `);
  (await server.take(0)).send(server.job());
  await expect(ended).resolves.toBe("stopped\nexit 0");
});

test("a process with a client ends by itself, even if the client is never closed", async () => {
  const ended = run(`
    import { Client } from "@millrace/client";
    const client = new Client({ url: process.argv[1] });
    const job = await client.enqueue({ type: "t", queue: "q", payload: 1n });
    console.log(job.queue);
  `);
  await expect(ended).resolves.toBe("q\nexit 0");
});

test("a worker whose stream is refused for good, unheard, does not end as if nothing had happened", async () => {
  server.takeScript = () => ({ status: 403, body: { error: "no", code: "FORBIDDEN" } });
  const ended = await run(`
    import { Worker } from "@millrace/client/worker";
    void new Worker({ url: process.argv[1], handler: () => {} }).run();
  `);
  expect(ended).toContain("FORBIDDEN");
  expect(ended).toContain("exit 1");
});
