import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linesOf, MillraceProcess, millrace, type Served, serve } from "./fixture/millrace-process.ts";

let folder = "";
let root = "";
let tests = 0;
const started: MillraceProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-serve-"));
});

beforeEach(() => {
  tests += 1;
  root = join(folder, String(tests));
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.end("SIGKILL")));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(...flags: string[]): Promise<Served> {
  const served = await serve(root, flags);
  started.push(served.process);
  return served;
}

async function enqueue(url: string, payload: unknown = null): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await fetch(`${url}/jobs`, {
    method: "POST",
    headers,
    body: JSON.stringify({ queue: "q", type: "t", payload }),
  });
}

async function count(url: string, query = ""): Promise<number> {
  return ((await (await fetch(`${url}/jobs/count?${query}`)).json()) as { count: number }).count;
}

describe("millrace serve, starting", () => {
  test("says where it listens in exactly the words that scripts look for, once", async () => {
    const { process, port } = await start();
    const { code, stdout } = await process.end("SIGTERM");
    expect(code).toBe(0);
    const found = stdout.split("\n").filter((line) => line.includes('"api":"primary"'));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^\{"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"INFO",/);
    expect(found[0]).toContain(
      `"target":"millrace.serve","fields":{"message":"listening","api":"primary","addr":"127.0.0.1:${port}","scheme":"http"}}`,
    );
    for (const line of linesOf(stdout))
      expect(Object.keys(line as object)).toEqual(["timestamp", "level", "target", "fields"]);
  });

  test("takes what the integration suites of existing clients pass", async () => {
    const { url } = await start("--log-level", "info", "--license-key", "KEY");
    const reply = await fetch(`${url}/health`);
    expect(reply.status).toBe(200);
  });

  test("is what the bare command does, configured by the environment", async () => {
    const env = { MILLRACE_PORT: "0", MILLRACE_LOG_FORMAT: "json", MILLRACE_EPHEMERAL: "1", MILLRACE_ROOT_DIR: root };
    const bare = new MillraceProcess([], { env });
    started.push(bare);
    await bare.said(/"api":"primary","addr":"127\.0\.0\.1:\d+"/);
    await bare.said(/no admin listener/);
    expect((await bare.end("SIGINT")).code).toBe(0);
    await expect(stat(root)).rejects.toThrow("ENOENT");
  });

  test("makes its directory for its user alone", async () => {
    await start();
    expect((await stat(root)).mode & 0o777).toBe(0o700);
  });

  test.each([
    ["an unknown flag", ["--colour"], "--colour"],
    ["a word that is no flag", ["now"], "now"],
    ["a value that cannot be", ["--port", "65536"], "--port"],
    ["a flag of a later version", ["--tls-cert", "x"], "--tls-cert is not supported yet"],
    ["an address that others can reach", ["--host", "0.0.0.0"], "--insecure"],
  ])("ends with 64 for %s, before it touches the directory", async (_, flags, text) => {
    const { code, stdout, stderr } = await millrace(["serve", "--root-dir", root, ...flags]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain(text);
    await expect(stat(root)).rejects.toThrow("ENOENT");
  });

  test("warns when it listens for everybody because it was told to", async () => {
    const open = new MillraceProcess(["serve", "--host", "0.0.0.0", "--insecure", "--port", "0", "--ephemeral"]);
    started.push(open);
    await open.said(/WARN .*0\.0\.0\.0/);
    await open.said(/listening/);
  });

  test("ends with 1 and names the port when another process has it", async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
    });
    const { code, stderr } = await millrace(["serve", "--root-dir", root, "--port", String(port)]);
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${port}`);
    expect(stderr).toContain("--port");
    expect((await start()).port).toBeGreaterThan(0);
  });

  test("ends with 1 and names the directory when it cannot be one", async () => {
    await writeFile(root, "a file");
    const { code, stderr } = await millrace(["serve", "--root-dir", root, "--port", "0"]);
    expect(code).toBe(1);
    expect(stderr).toContain(root);
  });
});

describe("two servers on one directory", () => {
  test("the second ends at once with 75 and names the first, which goes on", async () => {
    const { process, url } = await start();
    const { code, stderr } = await millrace(["serve", "--root-dir", root, "--port", "0"]);
    expect(code).toBe(75);
    expect(stderr).toContain(`process ${process.pid}`);
    expect((await enqueue(url)).status).toBe(201);
  });

  test("nothing is left behind by kill -9", async () => {
    const first = await start();
    expect((await enqueue(first.url)).status).toBe(201);
    await first.process.end("SIGKILL");
    const second = await start();
    expect(await count(second.url)).toBe(1);
  });

  test("a file that names a process of somebody else, or nobody, is no lock", async () => {
    await (await start()).process.end("SIGTERM");
    for (const text of [`${process.pid} then:1\n`, "1\n", "", "99999999 x:1\n", "garbage\u0000"]) {
      await writeFile(join(root, "millrace.lock"), text);
      const served = await start();
      expect(await readFile(join(root, "millrace.lock"), "utf8")).toMatch(
        new RegExp(`^${served.process.pid} \\S+\\n$`),
      );
      expect((await served.process.end("SIGTERM")).code).toBe(0);
    }
  });

  test("of many that start together one listens and the others end with 75", async () => {
    const argv = ["serve", "--port", "0", "--root-dir", root, "--log-format", "json"];
    const all = [1, 2, 3, 4].map(() => new MillraceProcess(argv));
    started.push(...all);
    const outcome = await Promise.all(
      all.map((one) =>
        Promise.race([one.said(/"api":"primary"/).then(() => "listens"), one.ended.then((e) => e.code)]),
      ),
    );
    expect(outcome.filter((one) => one === "listens")).toHaveLength(1);
    expect(outcome.filter((one) => one === 75)).toHaveLength(3);
  });

  test("a store that is locked without a name ends the second with 75 as well", async () => {
    const { process } = await start();
    await rm(join(root, "millrace.lock"), { force: true });
    const { code, stderr } = await millrace(["serve", "--root-dir", root, "--port", "0"]);
    expect(code).toBe(75);
    expect(stderr).toContain(`${root} is in use by another process`);
    expect((await process.end("SIGTERM")).code).toBe(0);
  });
});

describe("millrace serve, stopping", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "ends with 0 on %s although streams are open, and gives their jobs back",
    async (signal) => {
      const { process, url, port } = await start("--shutdown-grace", "1h");
      await enqueue(url);
      const taken = await takeOne(port);
      const { code } = await process.end(signal);
      taken.destroy();
      expect(code).toBe(0);
      const again = await start();
      expect(await count(again.url, "status=ready")).toBe(1);
    },
  );

  test("is not held up by a client that never finishes its request, longer than the grace", async () => {
    const { process, port } = await start("--shutdown-grace", "100ms");
    const socket = await connected(port);
    socket.write("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12");
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect((await process.end("SIGTERM")).code).toBe(0);
  });

  test("ends at once at the second signal, and says so", async () => {
    const { process, port } = await start("--shutdown-grace", "1h");
    const socket = await connected(port);
    socket.write("POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12");
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    process.child.kill("SIGTERM");
    await refusedAt(port);
    const { code, stderr } = await process.end("SIGTERM");
    expect(code).toBe(1);
    expect(stderr).toContain("second SIGTERM");
  });

  test("ends with 1 after a failed write, so that a supervisor starts it again, and nothing answered is lost", async () => {
    // The disk is full after 4 MiB; Node ignores the signal of the limit, so the write fails.
    const served = await serve(root, [], { shell: "ulimit -f 4096" });
    started.push(served.process);
    let answered = 0;
    let last = 201;
    while (last === 201) {
      last = await enqueue(served.url, "x".repeat(500_000)).then(
        (reply) => reply.status,
        () => 0,
      );
      if (last === 201) answered += 1;
    }
    expect(last).toBe(503);
    const { code, stdout } = await served.process.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('"level":"ERROR"');
    expect(answered).toBeGreaterThan(0);
    const again = await start();
    expect(await count(again.url)).toBeGreaterThanOrEqual(answered);
  });

  test("goes on when nobody reads its log any more", async () => {
    const { process, url } = await start("--log-level", "debug");
    process.child.stdout?.destroy();
    for (let n = 0; n < 3; n += 1) expect((await enqueue(url)).status).toBe(201);
    process.child.kill("SIGTERM");
    const code = await new Promise((resolve) => process.child.once("exit", resolve));
    expect(code).toBe(0);
  });
});

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** A stream on which one job has come. */
async function takeOne(port: number): Promise<Socket> {
  const socket = await connected(port);
  socket.write("GET /jobs/take HTTP/1.1\r\nHost: x\r\n\r\n");
  let text = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (text.includes('"status":"in_flight"')) resolve();
    });
  });
  return socket;
}

/** Resolves when the port takes no connections any more. */
async function refusedAt(port: number): Promise<void> {
  const isRefused = () =>
    connected(port).then(
      (socket) => {
        socket.destroy();
        return false;
      },
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
}
