import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { millrace, type Served, serve } from "./fixture/millrace-process.ts";

let folder = "";
let server: Served;
let env: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-enqueue-"));
  server = await serve(join(folder, "root"), ["--ephemeral"]);
  env = { MILLRACE_URL: server.url };
});

afterAll(async () => {
  await server.process.end("SIGTERM");
  await rm(folder, { recursive: true, force: true });
});

/** The job as the server has it, undecoded. */
async function stored(id: string): Promise<string> {
  return await (await fetch(`${server.url}/jobs/${id}`)).text();
}

function enqueue(...argv: string[]) {
  return millrace(["enqueue", "--queue", "q", "--type", "t", ...argv], { env });
}

describe("millrace enqueue", () => {
  test("prints the id and nothing else", async () => {
    const { code, stdout, stderr } = await enqueue(
      "--payload",
      '{"image":17}',
      "--priority",
      "7",
      "--retry-limit",
      "0",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^[0-9a-z]{25}\n$/);
    const job = JSON.parse(await stored(stdout.trim()));
    expect(job).toMatchObject({ queue: "q", type: "t", payload: { image: 17 }, priority: 7, retry_limit: 0 });
  });

  test("prints the job as the wire shows it with --json", async () => {
    const { code, stdout } = await enqueue("--payload", "1", "--json", "--ready-at", "2100-01-05T10:00:00+02:00");
    expect(code).toBe(0);
    const job = JSON.parse(stdout);
    expect(job).toMatchObject({
      status: "scheduled",
      ready_at: Date.UTC(2100, 0, 5, 8),
      duplicate: false,
      folded: false,
    });
    expect(job).not.toHaveProperty("payload");
  });

  test("reads the payload from a file or from standard input, 64-bit integers exactly", async () => {
    const file = join(folder, "payload.json");
    await writeFile(file, '{"big": 18446744073709551615}');
    const fromFile = await enqueue("--payload-file", file);
    const argv = ["enqueue", "--queue", "q", "--type", "t", "-"];
    const fromStdin = await millrace(argv, { env, input: "[9223372036854775807]\n" });
    expect(await stored(fromFile.stdout.trim())).toContain('"payload":{"big":18446744073709551615}');
    expect(await stored(fromStdin.stdout.trim())).toContain('"payload":[9223372036854775807]');
  });

  test("has null for a payload that is not given", async () => {
    const { stdout } = await enqueue();
    expect(await stored(stdout.trim())).toContain('"payload":null');
  });

  test("delays by a duration from now", async () => {
    const before = Date.now();
    const { stdout } = await enqueue("--delay", "10m", "--json");
    const job = JSON.parse(stdout);
    expect(job.status).toBe("scheduled");
    expect(job.ready_at).toBeGreaterThanOrEqual(before + 600_000);
    expect(job.ready_at).toBeLessThanOrEqual(Date.now() + 600_000);
  });

  test.each([
    ["a payload that is no JSON", ["--payload", "hello"], "A text needs its quotes"],
    ["two payloads", ["--payload", "1", "--payload-file", "x"], "give one payload"],
    ["a file that is not there", ["--payload-file", "/nowhere/x"], "cannot read the payload: ENOENT"],
    ["a word that is not expected", ["1"], '"1" is not expected here'],
    ["a priority out of range", ["--priority", "65536"], "a whole number from 0 to 65535"],
    ["a time without a zone", ["--ready-at", "2026-01-05T10:00:00"], "a time with its zone"],
    ["a duration that is none", ["--delay", "soon"], "is not a duration"],
    ["a time and a delay", ["--ready-at", "1", "--delay", "1s"], "not both"],
    ["an unknown flag", ["--colour"], "unknown option '--colour'"],
    ["an address that is none", ["--url", "localhost:7890"], "--url must be a URL"],
  ])("ends with 64 for %s", async (_, argv, text) => {
    const { code, stdout, stderr } = await enqueue(...argv);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain("millrace: ");
    expect(stderr).toContain(text);
  });

  test("ends with 1 when the server refuses, with its code", async () => {
    const { code, stderr } = await millrace(["enqueue", "--queue", "a,b", "--type", "t"], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^millrace: cannot enqueue the job: .*\(INVALID_NAME\)\nA name is not empty/);
  });

  test("ends with 69 when no server answers, and says what to do", async () => {
    const { code, stderr } = await enqueue("--url", "http://127.0.0.1:1");
    expect(code).toBe(69);
    expect(stderr).toMatch(
      /cannot enqueue the job: POST \/jobs to http:\/\/127\.0\.0\.1:1: unreachable .*was not sent/,
    );
    expect(stderr).toContain("millrace serve");
  });
});
