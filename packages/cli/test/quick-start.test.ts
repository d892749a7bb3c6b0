/** Runs what the README tells newcomers to run, word for word, against a real server. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerUnderTest } from "./crash/server-under-test.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);
const README_ADDRESS = "127.0.0.1:7890";
const COMPILE_COMMAND = /`npx tsc (.*) quick-start\.mts &&/;
const MARKED_BLOCK = /^<!-- quick-start: (\w+) -->\n```\w+\n([\s\S]*?)^```$/gm;

const server = new ServerUnderTest();
let readme = "";
let blocks: readonly { readonly language: string; readonly text: string }[] = [];

beforeAll(async () => {
  await server.start();
  readme = await readFile(join(root, "README.md"), "utf8");
  blocks = [...readme.matchAll(MARKED_BLOCK)].map(([, language = "", text = ""]) => ({ language, text }));
});

afterAll(async () => {
  await server.end("SIGTERM");
  server.remove();
});

/** The text with the address that this server really has. */
function addressed(text: string): string {
  return text.replaceAll(README_ADDRESS, `127.0.0.1:${server.port}`);
}

function blocksIn(language: string): string[] {
  const found = blocks.filter((block) => block.language === language).map((block) => block.text);
  expect(found, `the README has no quick start in ${language}`).not.toEqual([]);
  return found;
}

describe("the README's quick start", () => {
  test("in a shell does what its comments say", async () => {
    const script = blocksIn("sh").map(addressed).join("\n");
    const env = { ...process.env, MILLRACE_URL: `http://127.0.0.1:${server.port}` };
    const { stdout } = await run("bash", ["-c", script], { cwd: root, env });
    const [enqueued = "", taken = "", count = "", ...worked] = stdout.split("\n");
    expect(JSON.parse(enqueued)).toMatchObject({ queue: "media", type: "thumbnail", status: "ready" });
    expect(JSON.parse(taken)).toMatchObject({ status: "in_flight", payload: { image: 17 } });
    expect(JSON.parse(count)).toEqual({ count: 1 });
    expect(worked.join("\n")).toContain('working on {"image":17}');
    await expect(countOf("media")).resolves.toBe(0);
  });

  test("in TypeScript compiles strictly and runs", async () => {
    const [program = ""] = blocksIn("ts");
    // Inside the repository, so that the packages are found as a reader's file in the clone finds them.
    await mkdir(join(root, ".cache"), { recursive: true });
    const folder = await mkdtemp(join(root, ".cache/quick-start-"));
    try {
      const source = join(folder, "quick-start.mts");
      await writeFile(source, addressed(program));
      const [, flags = ""] = COMPILE_COMMAND.exec(readme) ?? [];
      await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...flags.split(" "), source]);
      const { stdout } = await run(process.execPath, [join(folder, "quick-start.mjs")]);
      expect(stdout).toMatch(/^enqueued [0-9a-z]{25}\nattempt 1: thumbnail of image 17\n$/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await expect(countOf("images")).resolves.toBe(0);
  });
});

async function countOf(queue: string): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${server.port}/jobs/count?queue=${queue}`);
  return ((await reply.json()) as { count: number }).count;
}
