/** The verbs that talk to a server: their flags, their help, and the file that is loaded when one is used. */
import { Command, CommanderError, Option } from "commander";
import { duration, instantOf, integer, names, statusWords } from "./arguments.ts";
import type { EnqueueOptions } from "./command-enqueue.ts";
import type { ListOptions } from "./command-jobs.ts";
import type { WorkOptions } from "./command-work.ts";
import { exitCodes } from "./exit-codes.ts";
import { explainFailure } from "./explain-failure.ts";
import { say, type Terminal } from "./output.ts";
import type { ServerOptions } from "./with-client.ts";

const U16_MAX = 2 ** 16 - 1;
const U32_MAX = 2 ** 32 - 1;

/** Carries out a command and what can go wrong with it; resolves with the exit code. */
type Perform = (tried: string, command: () => Promise<number>) => Promise<void>;

/** Runs one verb; resolves with its exit code. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.fine;
  const perform: Perform = async (tried, command) => {
    try {
      exitCode = await command();
    } catch (error) {
      const explained = explainFailure(error, tried);
      if (explained === undefined) throw error;
      say(terminal, explained.text.trimEnd());
      exitCode = explained.exitCode;
    }
  };
  try {
    await programOf(terminal, perform).parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already said what is wrong; that help was asked for is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    throw error;
  }
}

function programOf(terminal: Terminal, perform: Perform): Command {
  const program = new Command("millrace")
    .description("A background-job queue server, and commands to talk to it.")
    .usage("[command] [flags]")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "millrace: ")),
    })
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError("See it with --help.")
    .enablePositionalOptions()
    .helpCommand(false)
    .option("--root-dir <dir>", "for serve: the directory that holds everything")
    .option("--version", "print the version")
    .addHelpText("after", "\nWithout a command: serve. Flags of a command: millrace COMMAND --help");
  program.command("serve").description("run the server").helpOption(false);
  addEnqueue(program, terminal, perform);
  addJobs(program, terminal, perform);
  addWork(program, terminal, perform);
  return program;
}

function addEnqueue(program: Command, terminal: Terminal, perform: Perform): void {
  onServer(program.command("enqueue"), "print the job instead of its id")
    .summary("enqueue one job")
    .description("Enqueues one job and prints its id, when it is durable.")
    .usage("--queue NAME --type NAME [--payload JSON | --payload-file FILE | -] [flags]")
    .argument("[-]", "read the payload from standard input")
    .requiredOption("--queue <name>", "where it waits")
    .requiredOption("--type <name>", "what is to be done")
    .option("--payload <json>", "what it carries (default: null)")
    .option("--payload-file <file>", "a file that holds the payload; - = standard input")
    .option("--priority <n>", "0 to 65535, lower runs first (default: 32768)", integer(0, U16_MAX))
    .option("--ready-at <time>", "not before: 2026-01-05T10:00:00Z, or milliseconds since 1970", instantOf)
    .option("--delay <duration>", "not before so long from now: 90s, 10m, 2h 30m", duration)
    .option("--retry-limit <n>", "retries after the first failure (default: the server's)", integer(0, U32_MAX))
    .action((operand: string | undefined, options: EnqueueOptions) =>
      perform("enqueue the job", async () => {
        const { enqueue } = await import("./command-enqueue.ts");
        return await enqueue(operand, options, terminal);
      }),
    );
}

function addJobs(program: Command, terminal: Terminal, perform: Perform): void {
  const jobs = program.command("jobs").description("look at jobs").helpCommand(false);
  onServer(jobs.command("ls"), "a JSON object a line, which is also what a pipe gets")
    .summary("list jobs")
    .description("Lists jobs in the order they were enqueued. Filters take several names with commas between.")
    .option("--queue <names>", "only of these queues", names)
    .option("--type <names>", "only of these types", names)
    .option("--status <words>", "only scheduled, ready, in_flight, completed, dead", statusWords)
    .option("--limit <n>", "most rows; 0 = all", integer(0, Number.MAX_SAFE_INTEGER), 50)
    .action((options: ListOptions) =>
      perform("list jobs", async () => {
        const { listJobs } = await import("./command-jobs.ts");
        return await listJobs(options, terminal);
      }),
    );
  onServer(jobs.command("get"), "one JSON object, which is also what a pipe gets")
    .summary("show one job")
    .description("Shows one job with its payload.")
    .argument("<id>", "of the job")
    .action((id: string, options: ServerOptions) =>
      perform(`show the job ${id}`, async () => {
        const { getJob } = await import("./command-jobs.ts");
        return await getJob(id, options, terminal);
      }),
    );
}

function addWork(program: Command, terminal: Terminal, perform: Perform): void {
  onServer(program.command("work"))
    .summary("run a command for each job")
    .description("Runs a command once for each job: any program becomes a worker.")
    .usage("[flags] -- COMMAND [ARGUMENTS]")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .option("--queue <names>", "only jobs of these queues (default: all)", names)
    .option("--concurrency <n>", "commands at once", integer(1, 10_000), 1)
    .option("--limit <n>", "stop after so many jobs", integer(1, Number.MAX_SAFE_INTEGER))
    .addOption(
      new Option("--drain <duration>", "how long running commands may go on after SIGTERM or Ctrl-C")
        .argParser(duration)
        .default(25_000, "25s"),
    )
    .option("--quiet", "pass on nothing of what the command writes")
    .addHelpText("after", helpOfWork)
    .action((command: string[], options: WorkOptions) =>
      perform("work", async () => {
        const { work } = await import("./command-work.ts");
        return await work(command, options, terminal);
      }),
    );
}

const helpOfWork = `
The payload comes on standard input, as JSON. MILLRACE_JOB_ID, MILLRACE_JOB_TYPE, MILLRACE_JOB_QUEUE and MILLRACE_JOB_ATTEMPT
(from 1) are in the environment. Exit code 0 is success; anything else is a failure with the last of standard error as its
message, and the job is tried again later.

  millrace work --queue media --concurrency 4 -- ./thumbnail.sh`;

/** What every verb that talks to a server takes; `json` says what its --json prints. */
function onServer(command: Command, json?: string): Command {
  command.addOption(new Option("--url <url>", "the server (default: MILLRACE_URL, else http://127.0.0.1:7890)"));
  return json === undefined ? command : command.option("--json", json);
}
