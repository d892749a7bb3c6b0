import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { dispatch } from "../src/main.ts";
import { millrace } from "./fixture/millrace-process.ts";
import { PaperTerminal } from "./fixture/paper-terminal.ts";

async function run(...argv: string[]) {
  const terminal = new PaperTerminal();
  const code = await dispatch(argv, terminal);
  return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
}

describe("millrace", () => {
  test("names every command in its help", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    for (const verb of ["serve", "enqueue", "jobs", "work"]) expect(stdout).toMatch(new RegExp(`^  ${verb}\\b`, "m"));
  });

  test.each(["enqueue", "jobs", "work"])("explains %s", async (verb) => {
    const { code, stdout } = await run(verb, "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: millrace ${verb}`);
    expect(await run("help", verb)).toEqual(await run(verb, "--help"));
  });

  test("says its version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect(await run("--version")).toEqual({ code: 0, stdout: `millrace ${version}\n`, stderr: "" });
  });

  test("takes no flags of the server without the verb", async () => {
    const { code, stderr } = await run("--port", "0");
    expect(code).toBe(64);
    expect(stderr).toContain("millrace serve --port");
  });

  test("ends with 64 for a verb that it does not know", async () => {
    const { code, stderr } = await run("enqueu");
    expect(code).toBe(64);
    expect(stderr).toContain("unknown command 'enqueu'");
    expect(stderr).toContain("Did you mean enqueue?");
  });

  test("explains the server by the server's own table", async () => {
    const [asked, helped] = await Promise.all([millrace(["serve", "--help"]), millrace(["help", "serve"])]);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain("--root-dir");
    expect(helped.stdout).toBe(asked.stdout);
  });
});
