/** The `millrace` command: finds the verb and loads only what it needs. `program.ts` has the verbs that talk to a server. */
import { readFileSync } from "node:fs";
import { exitCodes } from "./exit-codes.ts";
import { processTerminal, say, type Terminal } from "./output.ts";

/** Runs one command; the exit code is set on the process, so that output still under way is not cut off. */
export async function run(argv: readonly string[]): Promise<void> {
  const { isServe } = split(argv);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    // `millrace jobs ls | head` has its ten lines, and that is no failure. A server goes on although nobody reads its log.
    if (!isServe) process.exit(exitCodes.fine);
  });
  process.exitCode = await dispatch(argv, processTerminal());
}

/** Runs one command; resolves with its exit code. */
export async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { rootFlags, verb, args, isServe } = split(argv);
  if (isServe) {
    const { serveCommand } = await import("./command-serve.ts");
    return await serveCommand(verb === "help" ? ["--help"] : [...rootFlags, ...args]);
  }
  if (verb === "--version" || verb === "-V") {
    terminal.stdout.write(`millrace ${ownVersion()}\n`);
    return exitCodes.fine;
  }
  if (verb.startsWith("-") && verb !== "--help" && verb !== "-h") {
    const where = `Flags of the server stand behind the verb: millrace serve ${verb} …`;
    say(terminal, `${verb} is no flag of millrace itself. ${where}`);
    return exitCodes.usage;
  }
  const { runProgram } = await import("./program.ts");
  return await runProgram(verb === "help" ? [...args, "--help"] : [verb, ...args], terminal);
}

/** A command line in its parts. `--root-dir` may stand before the verb; no verb is `serve`. */
function split(argv: readonly string[]) {
  const [first = "", second] = argv;
  let rootFlags: readonly string[] = [];
  if (first.startsWith("--root-dir=")) rootFlags = [first];
  else if (first === "--root-dir" && second !== undefined) rootFlags = [first, second];
  const [verb = "serve", ...args] = argv.slice(rootFlags.length);
  return { rootFlags, verb, args, isServe: verb === "serve" || (verb === "help" && args[0] === "serve") };
}

function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
