import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@millrace/client";
import type { NewJob } from "@millrace/client/job";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MillraceProcess, millrace, type Served, serve } from "./fixture/millrace-process.ts";

let folder = "";
let server: Served;
let client: Client;
let queue = "";
let tests = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-work-"));
  server = await serve("unused", ["--ephemeral", "--default-completed-job-retention", "1h"]);
  client = new Client({ url: server.url });
});

beforeEach(() => {
  tests += 1;
  queue = `q${tests}`;
});

afterAll(async () => {
  await client.close();
  await server.process.end("SIGTERM");
  await rm(folder, { recursive: true, force: true });
});

async function add(job: Partial<NewJob> = {}): Promise<string> {
  return (await client.enqueue({ queue, type: "t", payload: null, retryLimit: 0, ...job })).id;
}

function argv(script: string, flags: readonly string[]): string[] {
  return ["work", "--url", server.url, "--queue", queue, ...flags, "--", "sh", "-c", script];
}

/** Works through one job with a shell script. */
function workOnce(script: string, ...flags: string[]) {
  return millrace(argv(script, ["--limit", "1", ...flags]));
}

describe("millrace work", () => {
  test("gives the command its payload and says which job it is; exit code 0 is success", async () => {
    const id = await add({ type: "resize", payload: { big: 2n ** 64n - 1n, text: "ü" } });
    const names = "$MILLRACE_JOB_ID $MILLRACE_JOB_TYPE $MILLRACE_JOB_QUEUE $MILLRACE_JOB_ATTEMPT";
    const { code, stdout, stderr } = await workOnce(`cat; echo "${names}"`);
    expect(stdout).toBe(`{"big":18446744073709551615,"text":"ü"}\n${id} resize ${queue} 1\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((await client.get(id)).status).toBe("completed");
  });

  test("takes the end of standard error as the message of a failure", async () => {
    const id = await add();
    const { code, stderr } = await workOnce("echo reading >&2; echo 'no such image' >&2; exit 3");
    expect(code).toBe(1);
    expect(stderr).toContain("reading\nno such image\n");
    expect(stderr).toContain(`millrace: job ${id} (t) failed: exit code 3: reading; it is dead`);
    expect(await client.error(id, 1)).toMatchObject({ errorType: "exit code 3", message: "reading\nno such image" });
    expect(await client.error(id, 1)).not.toHaveProperty("backtrace");
  });

  test("keeps a bounded end of a long standard error, whole characters only", async () => {
    const id = await add();
    await workOnce(
      `i=0; while [ $i -lt 4000 ]; do echo 'ääääääääää' >&2; i=$((i+1)); done; echo last >&2; exit 1`,
      "--quiet",
    );
    const { message } = await client.error(id, 1);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8 * 1024 + 3);
    expect(message).toMatch(/^…ä/);
    expect(message).toMatch(/ä\nlast$/);
    expect(message).not.toContain("\ufffd");
  });

  test("names the exit code of a command that says nothing, and the signal that ended one", async () => {
    const silent = await add();
    await workOnce("exit 9");
    const killed = await add();
    await workOnce("echo working >&2; kill -KILL $$");
    expect(await client.error(silent, 1)).toMatchObject({ message: "exit code 9", errorType: "exit code 9" });
    expect(await client.error(killed, 1)).toMatchObject({
      message: "ended by SIGKILL\nworking",
      errorType: "ended by SIGKILL",
    });
  });

  test("passes on nothing of the command's output with --quiet", async () => {
    await add();
    const { stdout, stderr } = await workOnce("echo out; echo err >&2", "--quiet");
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  });

  test("does not mind a command that never reads its payload", async () => {
    const id = await add({ payload: "x".repeat(500_000) });
    expect((await workOnce("exec <&-; exit 0")).code).toBe(0);
    expect((await client.get(id)).status).toBe("completed");
  });

  test("does not wait for what the command left behind", async () => {
    await add();
    const { code, stdout } = await workOnce("sleep 60 > /dev/null & echo $!");
    process.kill(Number(stdout));
    expect(code).toBe(0);
  });

  test("takes no job for a command that is not there", async () => {
    const id = await add();
    const { code, stderr } = await millrace(["work", "--url", server.url, "--queue", queue, "no-such-command"]);
    expect({ code, stderr }).toEqual({ code: 64, stderr: "millrace: command not found: no-such-command\n" });
    expect((await client.get(id)).status).toBe("ready");
  });

  test("fails the jobs of a command that is gone by then", async () => {
    const script = join(folder, "once.sh");
    await writeFile(script, '#!/bin/sh\nrm -- "$0"\n');
    await chmod(script, 0o755);
    await add();
    const id = await add();
    const { code } = await millrace(["work", "--url", server.url, "--queue", queue, "--limit", "2", script]);
    expect(code).toBe(1);
    expect(await client.error(id, 1)).toMatchObject({
      message: `command not found: ${script}`,
      errorType: "not started",
    });
  });

  test("runs no more at once than it may, and no more in all", async () => {
    for (let n = 0; n < 6; n += 1) await add();
    const log = join(folder, "log");
    // Each waits for the other two, which is seen only if three run at once.
    const script = `echo start >> ${log}; until [ $(grep -c start ${log}) -ge 3 ]; do sleep 0.02; done; echo end >> ${log}`;
    const { code } = await millrace(argv(script, ["--concurrency", "3", "--limit", "4"]));
    expect(code).toBe(0);
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    expect(lines.filter((line) => line === "start")).toHaveLength(4);
    expect(await client.count({ queue, status: "ready" })).toBe(2);
  });

  test("lets the running command finish after SIGTERM, and acknowledges it", async () => {
    const running = await add();
    const waiting = await add();
    const worker = new MillraceProcess(
      argv("echo begun; until [ -e $0 ]; do sleep 0.02; done", []).concat(join(folder, "go")),
    );
    await worker.said(/begun/);
    worker.child.kill("SIGTERM");
    await worker.said(/SIGTERM: no new jobs/);
    await writeFile(join(folder, "go"), "");
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect((await client.get(running)).status).toBe("completed");
    expect((await client.get(waiting)).status).toBe("ready");
  });

  test.each([
    ["when the time to drain is over", ["--drain", "50ms"], 1],
    ["at the second signal", ["--drain", "1h"], 2],
  ])("gives its job back %s, and ends the command with all it started", async (_, flags, signals) => {
    const id = await add();
    const pids = join(folder, `pids-${tests}`);
    const worker = new MillraceProcess(argv(`sleep 600 & echo $$ $! > ${pids}; echo begun; wait`, flags));
    await worker.said(/begun/);
    worker.child.kill("SIGTERM");
    await worker.said(/SIGTERM: no new jobs/);
    if (signals === 2) worker.child.kill("SIGINT");
    const { code, stderr } = await worker.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("time is up");
    expect(await client.get(id)).toMatchObject({ status: "ready", attempts: 0 });
    for (const pid of (await readFile(pids, "utf8")).trim().split(" "))
      await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });

  test("goes on after the server was away, and says so once", async () => {
    let own = await serve(join(folder, "root"));
    const flags = ["work", "--url", own.url, "--queue", queue, "--limit", "1"];
    const worker = new MillraceProcess([...flags, "cat"]);
    await waitForStream(own.url);
    await own.process.end("SIGTERM");
    await worker.said(/no connection: .*trying again/);
    own = await serve(join(folder, "root"), ["--port", String(own.port)]);
    const other = new Client({ url: own.url });
    await other.enqueue({ queue, type: "t", payload: "back" });
    const { code, stdout, stderr } = await worker.ended;
    await other.close();
    await own.process.end("SIGTERM");
    expect({ code, stdout }).toEqual({ code: 0, stdout: '"back"\n' });
    expect(stderr.match(/no connection/g)).toHaveLength(1);
    expect(stderr).toContain("millrace: connected\n");
  });

  test("needs a command", async () => {
    expect((await millrace(["work", "--queue", "q"])).code).toBe(64);
  });
});

/** Resolves when a stream is open: only then does a job go to somebody. */
async function waitForStream(url: string): Promise<void> {
  const probe = new Client({ url });
  const { id } = await probe.enqueue({ queue, type: "t", payload: 0, readyAt: Date.now() + 3_600_000 });
  await probe.delete(id);
  await probe.close();
}

/** A zombie, at whose exit code nobody has looked yet, is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
