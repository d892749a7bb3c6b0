/** `millrace serve` as a process: arguments in, exit code out, signals in between. */
import { readConfig } from "./config.ts";
import { UsageError } from "./config-values.ts";
import { openLogger } from "./log-output.ts";
import { RootLocked } from "./root-lock.ts";
import { type RunningServer, serve } from "./serve.ts";
import { serveHelp } from "./serve-help.ts";

/** 0 stopped · 1 start or store failed · 64 wrong usage · 75 the directory is in use. */
export const exitCodes = { stopped: 0, failed: 1, usage: 64, locked: 75 } as const;

/**
 * Runs until a signal or a failure ends it; resolves with the exit code. SIGINT and SIGTERM stop in order, a second one at
 * once.
 */
export async function runServer(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(serveHelp());
    return exitCodes.stopped;
  }
  // Listened for from the beginning: a signal during the start stops as soon as there is something to stop.
  const stop = signalled();
  let server: RunningServer;
  let fail: () => void = () => undefined;
  const failed = new Promise<number>((resolve) => {
    fail = () => resolve(exitCodes.failed);
  });
  let complain = (text: string): void => {
    process.stderr.write(`millrace: ${text}\n`);
  };
  let tell: (text: string) => void = () => undefined;
  try {
    const config = readConfig(argv, process.env);
    const isTerminal = process.stderr.isTTY === true;
    const format = config.logFormat ?? (isTerminal ? "pretty" : "compact");
    const logger = openLogger({ format, level: config.logLevel, stream: process.stdout, colours: hasColours() });
    for (const warning of config.warnings) logger.for("millrace.serve").warn(warning);
    complain = (text) => logger.for("millrace.serve").error(text);
    tell = (text) => logger.for("millrace.serve").info(text);
    server = await serve({ config, logger, onFailure: () => fail() });
    if (isTerminal) process.stderr.write(`Millrace listens on http://${config.host}:${server.address.port}\n`);
  } catch (error) {
    return refuseToStart(error);
  }
  const code = await Promise.race([stop, failed]);
  if (code === exitCodes.failed) complain("the store failed; the server stops, so that a supervisor can start it anew");
  else tell("stopping");
  await server.stop().then(
    () => tell("stopped"),
    (error: unknown) => complain(`stopping failed: ${String(error)}`),
  );
  return code;
}

function hasColours(): boolean {
  return process.stdout.isTTY === true && !process.env["NO_COLOR"];
}

function signalled(): Promise<number> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) {
        process.stderr.write(`millrace: second ${signal}, ending at once\n`);
        process.exit(exitCodes.failed);
      }
      isStopping = true;
      resolve(exitCodes.stopped);
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

function refuseToStart(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`millrace: ${error.message}\nRun \`millrace serve --help\` for all flags.\n`);
    return exitCodes.usage;
  }
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const hint =
    code === "EADDRINUSE" ? "; another process listens there: choose another --port, or 0 for any free one" : "";
  process.stderr.write(`millrace: cannot start: ${text}${hint}\n`);
  return error instanceof RootLocked ? exitCodes.locked : exitCodes.failed;
}
