/**
 * `millrace work`: any command becomes a worker. It is run once for each job; while it runs the job is this worker's, and how it
 * ends settles the job.
 */
import { hostname } from "node:os";
import { Client } from "@millrace/client";
import type { TakenJob } from "@millrace/client/job";
import { Worker } from "@millrace/client/worker";
import { stringifyJson } from "@millrace/protocol/json";
import { serverUrl, UsageError } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import { isCommand } from "./find-command.ts";
import { printable, say, type Terminal } from "./output.ts";
import { runCommand } from "./run-command.ts";

export interface WorkOptions {
  readonly url?: string;
  readonly queue?: readonly string[];
  readonly concurrency: number;
  /** Jobs to run before it stops; undefined = it goes on. */
  readonly limit?: number;
  /** Milliseconds that running commands have after the first signal. */
  readonly drain: number;
  readonly quiet?: boolean;
}

/** Longer than any command: 24 days. */
const noDeadlineMs = 2 ** 31 - 1;

/** Runs until a signal or the limit; resolves with the exit code. */
export async function work(command: readonly string[], options: WorkOptions, terminal: Terminal): Promise<number> {
  const [program = "", ...args] = command;
  // Found out now rather than at the cost of every job's attempts.
  if (!isCommand(program, process.env["PATH"])) throw new UsageError(`command not found: ${program}`);
  const running = new Set<Promise<void>>();
  const client = new Client({ url: serverUrl(options, terminal) });
  const { limit } = options;
  let started = 0;
  const worker: Worker = new Worker({
    client,
    queues: options.queue ?? [],
    concurrency: options.concurrency,
    // A job that waits behind a long command would be better off with another worker.
    prefetch: options.concurrency,
    workerId: `${hostname().replace(/[^ -~]/g, "?")}:${process.pid}`.slice(-200),
    handler: (job, { attempt, signal }) => {
      started += 1;
      if (started === limit) void worker.stop({ deadlineMs: noDeadlineMs });
      const env = environmentOf(job, attempt);
      const input = `${stringifyJson(job.payload)}\n`;
      const run = runCommand({ command: program, args, env, input, quiet: options.quiet === true, signal });
      const ended = run.catch(() => {});
      running.add(ended);
      void ended.then(() => running.delete(ended));
      return run;
    },
  });
  const report = reportOn(worker, terminal);
  const forget = stopOnSignals(worker, options.drain, terminal);
  try {
    await worker.run();
    if (running.size > 0)
      say(terminal, "time is up: the commands still running are ended, their jobs go to other workers");
    const leftBehind = running.size;
    await Promise.all(running);
    return leftBehind > 0 || (limit !== undefined && report.failed > 0) ? exitCodes.failed : exitCodes.fine;
  } finally {
    forget();
    await client.close();
  }
}

function environmentOf(job: TakenJob, attempt: number): NodeJS.ProcessEnv {
  return {
    ...process.env,
    MILLRACE_JOB_ID: job.id,
    MILLRACE_JOB_TYPE: job.type,
    MILLRACE_JOB_QUEUE: job.queue,
    MILLRACE_JOB_ATTEMPT: String(attempt),
  };
}

/** Says what an operator should see; counts what failed. */
function reportOn(worker: Worker, terminal: Terminal): { failed: number } {
  const report = { failed: 0 };
  let lost = false;
  worker.on("failed", (job, thrown, after) => {
    report.failed += 1;
    const why = shortReason(thrown);
    const next = after.status === "dead" ? "it is dead" : `next try ${new Date(after.readyAt).toISOString()}`;
    say(terminal, `job ${job.id} (${printable(job.type)}) failed: ${printable(why)}; ${next}`);
  });
  worker.on("stale", (job) => say(terminal, `job ${job.id} was no longer this worker's when its command ended`));
  worker.on("error", (cause) => say(terminal, `trouble: ${textOf(cause)}`));
  worker.on("reconnect", ({ cause }) => {
    if (!lost) say(terminal, `no connection: ${textOf(cause)}; trying again until it works`);
    lost = true;
  });
  worker.on("state", (state) => {
    if (state !== "running") return;
    if (lost) say(terminal, "connected");
    lost = false;
  });
  return report;
}

/** The first signal lets the commands finish, a second one ends everything. */
function stopOnSignals(worker: Worker, drainMs: number, terminal: Terminal): () => void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals === 1) {
      say(terminal, `${signal}: no new jobs; waiting for running commands, a second signal ends them`);
      void worker.stop({ deadlineMs: drainMs });
    } else {
      void worker.stop({ deadlineMs: 0 });
    }
  };
  const watched = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of watched) process.on(signal, onSignal);
  return () => {
    for (const signal of watched) process.off(signal, onSignal);
  };
}

/** How it ended, and the first line of what it said. */
function shortReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const [line = ""] = thrown.message.split("\n");
  return line.startsWith(thrown.name) ? line : `${thrown.name}: ${line}`;
}

function textOf(cause: unknown): string {
  return printable(cause instanceof Error ? cause.message : String(cause));
}
