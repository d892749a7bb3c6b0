/** The `millrace` command: finds the verb and loads only what it needs. */
import { exitCodes } from "./exit-codes.ts";

const help = `millrace: a background-job queue server, and commands to talk to it

  millrace [serve] [flags]           run the server; see millrace serve --help
  millrace enqueue [flags]           enqueue a job
  millrace jobs ls|get [flags]       look at jobs
  millrace work [flags] -- COMMAND   run a command for each job

  millrace COMMAND --help            flags of a command
  millrace --version
`;

/** Runs one command; the exit code is set on the process, so that output still under way is not cut off. */
export async function run(argv: readonly string[]): Promise<void> {
  process.exitCode = await dispatch(argv);
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [verb, ...rest] = argv;
  switch (verb) {
    case undefined:
      return await (await import("./command-serve.ts")).serveCommand([]);
    case "serve":
      return await (await import("./command-serve.ts")).serveCommand(rest);
    case "--help":
    case "-h":
    case "help":
      process.stdout.write(help);
      return exitCodes.fine;
    default:
      process.stderr.write(`millrace: there is no command "${verb}"\n\n${help}`);
      return exitCodes.usage;
  }
}
