/**
 * Starts the built server with the Node that runs this script, does one job over HTTP, and stops the server in order. Ends with 0 only
 * if all of it worked. Used to show that the shipped files run on other versions of Node: `/path/to/node scripts/start-once.mjs`.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../packages/cli/bin/millrace.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "millrace-start-once-"));
const server = spawn(
  process.execPath,
  [launcher, "serve", "--port", "0", "--root-dir", join(folder, "data"), "--log-format", "json"],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const exited = once(server, "exit");

try {
  const url = `http://${await address()}`;
  const version = await (await fetch(`${url}/version`)).json();
  const job = { queue: "q", type: "t", payload: { seen: [1, "two", null] } };
  const enqueued = await fetch(`${url}/jobs`, {
    method: "POST",
    body: JSON.stringify(job),
    headers: { "content-type": "application/json" },
  });
  assert.equal(enqueued.status, 201);
  const leave = new AbortController();
  const stream = await fetch(`${url}/jobs/take`, { signal: leave.signal });
  const taken = await firstLine(stream);
  assert.deepEqual(taken.payload, job.payload);
  const settled = await fetch(`${url}/jobs/${taken.id}/success?delivery=${taken.delivery}`, { method: "POST" });
  assert.equal(settled.status, 204);
  leave.abort();
  server.kill("SIGTERM");
  const [code] = await exited;
  assert.equal(code, 0, "the server must stop in order");
  console.log(`Node ${process.version}: ${version.server} started, did one job and stopped.`);
} finally {
  server.kill("SIGKILL");
  await exited;
  await rm(folder, { recursive: true, force: true });
}

/** The address that the server logs. */
async function address() {
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('"api":"primary"')) return JSON.parse(line).fields.addr;
  }
  throw new assert.AssertionError({ message: "the server ended before it listened" });
}

/** The first job of a stream of lines; empty lines are heartbeats. */
async function firstLine(response) {
  let text = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    assert.ok(!done, "the stream ended before a job came");
    text += value;
    const line = text
      .split("\n")
      .slice(0, -1)
      .find((one) => one !== "");
    if (line === undefined) continue;
    return JSON.parse(line);
  }
}
