/** The `millrace` command: finds the verb and loads only what it needs. `program.ts` has the verbs that talk to a server. */
import { readFileSync } from "node:fs";
import { exitCodes } from "./exit-codes.ts";
import { processTerminal, say, type Terminal } from "./output.ts";

/** Runs one command; the exit code is set on the process, so that output still under way is not cut off. */
export async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await dispatch(argv, processTerminal());
}

/** Runs one command; resolves with its exit code. */
export async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rootFlags, rest } = takeRootFlags(argv);
  const [verb, ...args] = rest;
  if (verb === "--version" || verb === "-V") {
    terminal.stdout.write(`millrace ${ownVersion()}\n`);
    return exitCodes.fine;
  }
  if (verb === undefined || verb === "serve" || (verb === "help" && args[0] === "serve")) {
    const { serveCommand } = await import("./command-serve.ts");
    return await serveCommand(verb === "help" ? ["--help"] : [...rootFlags, ...args]);
  }
  if (verb.startsWith("-") && verb !== "--help" && verb !== "-h") {
    say(
      terminal,
      `${verb} is no flag of millrace itself. Flags of the server stand behind the verb: millrace serve ${verb} …`,
    );
    return exitCodes.usage;
  }
  exitOnClosedPipe();
  const { runProgram } = await import("./program.ts");
  return await runProgram(verb === "help" ? [...args, "--help"] : rest, terminal);
}

/** `--root-dir` may stand before the verb. */
function takeRootFlags(argv: readonly string[]): { rootFlags: readonly string[]; rest: readonly string[] } {
  const [first = "", value] = argv;
  if (first.startsWith("--root-dir=")) return { rootFlags: [first], rest: argv.slice(1) };
  if (first === "--root-dir" && value !== undefined) return { rootFlags: [first, value], rest: argv.slice(2) };
  return { rootFlags: [], rest: argv };
}

/** `millrace jobs ls | head` has its ten lines: the rest is no failure. */
function exitOnClosedPipe(): void {
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.fine);
    throw error;
  });
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
