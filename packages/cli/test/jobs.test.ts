import { Client } from "@millrace/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dispatch } from "../src/main.ts";
import { linesOf, millrace, type Served, serve } from "./fixture/millrace-process.ts";
import { PaperTerminal } from "./fixture/paper-terminal.ts";

let server: Served;
let client: Client;
const ids: string[] = [];

beforeAll(async () => {
  server = await serve("unused", ["--ephemeral"]);
  client = new Client({ url: server.url });
  const jobs = [0, 1, 2, 3].map((n) => ({ queue: `q${n % 2}`, type: "\u001bct", payload: { n, big: 2n ** 63n } }));
  const later = { queue: "later", type: "t", payload: 0, readyAt: Date.UTC(2100, 0, 1) };
  for (const job of await client.enqueueBulk<unknown>([...jobs, later])) ids.push(job.id);
});

afterAll(async () => {
  await client.close();
  await server.process.end("SIGTERM");
});

async function run(argv: readonly string[], options: { isTTY?: boolean; env?: Record<string, string> } = {}) {
  const terminal = new PaperTerminal({ ...options, env: { MILLRACE_URL: server.url, ...options.env } });
  const code = await dispatch(argv, terminal);
  return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
}

function idsIn(stdout: string): unknown[] {
  return linesOf(stdout).map((job) => (job as { id: string }).id);
}

describe("millrace jobs ls", () => {
  test("writes one JSON object a line into a pipe, named as the wire names it", async () => {
    const { code, stdout, stderr } = await run(["jobs", "ls"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(idsIn(stdout)).toEqual(ids);
    expect(stdout).toContain('"payload":{"n":0,"big":9223372036854775808},"ready_at":');
  });

  test("filters by queue, type and status", async () => {
    expect(idsIn((await run(["jobs", "ls", "--queue", "q1"])).stdout)).toEqual([ids[1], ids[3]]);
    expect(idsIn((await run(["jobs", "ls", "--queue", "q1,later"])).stdout)).toEqual([ids[1], ids[3], ids[4]]);
    expect(idsIn((await run(["jobs", "ls", "--queue", "q1", "--queue", "later"])).stdout)).toHaveLength(3);
    expect(idsIn((await run(["jobs", "ls", "--status", "scheduled"])).stdout)).toEqual([ids[4]]);
    expect(idsIn((await run(["jobs", "ls", "--type", "none"])).stdout)).toEqual([]);
  });

  test("stops at the limit, over pages too, and 0 is no limit", async () => {
    const queue = "many";
    await client.enqueueBulk(Array.from({ length: 2105 }, () => ({ queue, type: "t", payload: null })));
    expect(linesOf((await run(["jobs", "ls", "--queue", queue])).stdout)).toHaveLength(50);
    expect(linesOf((await run(["jobs", "ls", "--queue", queue, "--limit", "2003"])).stdout)).toHaveLength(2003);
    expect(linesOf((await run(["jobs", "ls", "--queue", queue, "--limit", "0"])).stdout)).toHaveLength(2105);
  });

  test("shows people a table, with nothing in it that a terminal would obey", async () => {
    const { stdout } = await run(["jobs", "ls", "--queue", "q0"], { isTTY: true, env: { NO_COLOR: "1" } });
    const [heading = "", ...rows] = stdout.trimEnd().split("\n");
    expect(heading).toMatch(/^ID +STATUS +QUEUE +TYPE +PRIORITY +ATTEMPTS +READY AT$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^[0-9a-z]{25} {2}ready +q0 +\\u\{1b\}ct +32768 +0 +20\d\d-\d\d-\d\dT[\d:.]+Z$/);
    expect(stdout).not.toContain("\u001b");
  });

  test("tells people when there is more, and when there is nothing", async () => {
    expect((await run(["jobs", "ls", "--limit", "2"], { isTTY: true })).stderr).toContain("more than these 2");
    expect((await run(["jobs", "ls", "--queue", "empty"], { isTTY: true })).stderr).toBe("millrace: no job matches\n");
  });

  test("makes the heading bold only where colours are welcome", async () => {
    const argv = ["jobs", "ls", "--limit", "1"];
    expect((await run(argv, { isTTY: true })).stdout).toContain("\u001b[1mID");
    expect((await run(argv, { isTTY: true, env: { TERM: "dumb" } })).stdout).not.toContain("\u001b");
  });

  test("is content when the reader of its pipe has seen enough", async () => {
    const shell = `node "$0" jobs ls --limit 0 | head -n 1`;
    const { spawn } = await import("node:child_process");
    const { launcher } = await import("./fixture/millrace-process.ts");
    const child = spawn("bash", ["-o", "pipefail", "-c", shell, launcher], {
      env: { ...process.env, MILLRACE_URL: server.url },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("millrace jobs get", () => {
  test("writes one JSON object into a pipe, and for --json", async () => {
    for (const options of [{}, { isTTY: true }]) {
      const argv = ["jobs", "get", ids[4] ?? "", ...("isTTY" in options ? ["--json"] : [])];
      const { code, stdout } = await run(argv, options);
      expect(code).toBe(0);
      expect(linesOf(stdout)).toMatchObject([{ id: ids[4], status: "scheduled", payload: 0 }]);
    }
  });

  test("shows people its members and the last error", async () => {
    const { id } = await client.enqueue({ queue: "failing", type: "t", payload: "p" });
    const { Worker } = await import("@millrace/client/worker");
    const worker: InstanceType<typeof Worker> = new Worker({
      client,
      queues: ["failing"],
      handler: () => {
        throw new Error("no paper");
      },
      on: { failed: () => void worker.stop() },
    });
    await worker.run();
    const { stdout } = await run(["jobs", "get", id], { isTTY: true, env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/^status +scheduled$/m);
    expect(stdout).toMatch(/^phase +retry$/m);
    expect(stdout).toMatch(/^payload +"p"$/m);
    expect(stdout).toMatch(/^last error +no paper$/m);
    expect(stdout).toMatch(/^ready_at +20\d\d-/m);
  });

  test("ends with 3 for a job that is not there", async () => {
    const { code, stdout, stderr } = await run(["jobs", "get", "0000000000000000000000000"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/cannot show the job 0{25}: .*\(JOB_NOT_FOUND\)\n.*millrace jobs ls/);
  });

  test("ends with 64 for a command line that cannot be", async () => {
    expect((await run(["jobs", "get"])).code).toBe(64);
    expect((await run(["jobs", "ls", "--status", "lost"])).code).toBe(64);
    expect((await millrace(["jobs"])).code).toBe(64);
  });
});
