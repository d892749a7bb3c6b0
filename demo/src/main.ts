/**
 * `npm run demo -- [--dir PATH]`: the main job of a queue on real input, with accidents.
 *
 * One job per file of a directory, some of them later, some failing at first; three worker processes; one of them and then
 * the server are killed with SIGKILL half way. At the end every result is compared with the demo's own computation. Exit
 * code 0 only if all of them were right and none was missing.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@millrace/client";
import type { NewJob } from "@millrace/client/job";
import { listFiles } from "./list-files.ts";
import { type InspectFile, queue } from "./payload.ts";
import { end, type RunningServer, startServer, startWorker } from "./processes.ts";
import { Progress } from "./progress.ts";
import { readResults } from "./results.ts";
import { type Verdict, verify } from "./verify.ts";

const workerNames = ["worker-1", "worker-2", "worker-3"] as const;
const scheduledCount = 5;
const failingCount = 5;
/** Pretended work is chosen so that all of it takes about this long on twelve handlers. */
const aimSeconds = 8;
/** The whole demo gives up after this long: a queue that stalls must not look like one that is slow. */
const patienceSeconds = 55;

interface Plan {
  readonly jobs: readonly NewJob<InspectFile>[];
  /** Jobs that fail twice on purpose. */
  readonly failing: number;
  /** Jobs that are not due at once. */
  readonly later: number;
}

function plan(root: string, files: readonly string[]): Plan {
  const workMs = Math.min(200, Math.round((aimSeconds * 1000 * 12) / Math.max(1, files.length)));
  const laterAt = Date.now() + 4000;
  const backoff = { exponent: 0, baseMs: 0, jitterMs: 200 };
  const jobs = files.map((path, i): NewJob<InspectFile> => {
    const failures = i < failingCount ? 2 : 0;
    const job = { queue, type: "inspect-file", payload: { root, path, failures, workMs }, backoff };
    return i >= failingCount && i < failingCount + scheduledCount ? { ...job, readyAt: laterAt } : job;
  });
  const failing = Math.min(failingCount, files.length);
  return { jobs, failing, later: Math.min(scheduledCount, files.length - failing) };
}

async function enqueueAll(client: Client, jobs: readonly NewJob<InspectFile>[]): Promise<Map<string, string>> {
  const expected = new Map<string, string>();
  for (let first = 0; first < jobs.length; first += 1000) {
    const chunk = jobs.slice(first, first + 1000);
    const answers = await client.enqueueBulk(chunk);
    for (const [i, answer] of answers.entries()) expected.set(answer.id, chunk[i]?.payload.path ?? "");
  }
  return expected;
}

/** What to work on; undefined when there is nothing, and then it was said why. */
async function chooseInput(): Promise<{ root: string; files: readonly string[] } | undefined> {
  try {
    const { values } = parseArgs({ options: { dir: { type: "string" } } });
    const root = resolve(values.dir ?? fileURLToPath(new URL("../..", import.meta.url)));
    const files = await listFiles(root);
    if (files.length > 0) return { root, files };
    process.stderr.write(`There are no files in ${root}.\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.stderr.write("Usage: npm run demo -- [--dir DIRECTORY]\n");
  return undefined;
}

async function main(): Promise<number> {
  const input = await chooseInput();
  if (input === undefined) return 64;
  const { root, files } = input;
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  const directory = mkdtempSync(join(tmpdir(), "millrace-demo-"));
  const results = join(directory, "results");
  mkdirSync(results);
  process.once("SIGINT", () => {
    // The terminal has told the server and the workers as well.
    rmSync(directory, { recursive: true, force: true });
    process.exit(130);
  });
  const { jobs, failing, later } = plan(root, files);

  let server: RunningServer = await startServer(join(directory, "queue"), 0);
  const client = new Client({ url: server.url });
  const workers = new Map(workerNames.map((name) => [name, startWorker(server.url, results, name)]));
  process.stdout.write(
    `Millrace demo: ${files.length} files of ${root}\n  server on ${server.url}, three worker processes\n`,
  );
  const enqueueBegan = performance.now();
  const expected = await enqueueAll(client, jobs);
  const enqueueMs = performance.now() - enqueueBegan;

  const progress = new Progress(files.length);
  const accidents = [
    {
      at: 0.3,
      run: async () => {
        await end(workers.get("worker-1") as never, "SIGKILL");
        progress.say(`[${seconds()} s] worker-1 killed with SIGKILL; its unfinished jobs go back at once`);
        workers.set("worker-1", startWorker(server.url, results, "worker-1-again"));
      },
    },
    {
      at: 0.5,
      run: async () => {
        await end(server.child, "SIGKILL");
        progress.say(`[${seconds()} s] the server killed with SIGKILL`);
        server = await startServer(join(directory, "queue"), server.port);
        progress.say(`[${seconds()} s] the server is back on the same directory; workers reconnect by themselves`);
      },
    },
  ];

  let isDone = false;
  while (!isDone && performance.now() - began < patienceSeconds * 1000) {
    const done = new Set(readResults(results).map((result) => result.job)).size;
    progress.show(done, done === files.length ? "waiting for the last acks" : "");
    const accident = accidents[0];
    if (accident !== undefined && done >= accident.at * files.length) {
      accidents.shift();
      await accident.run();
    }
    isDone = accidents.length === 0 && done === files.length && (await client.count({ queue })) === 0;
    if (!isDone) await pause(100);
  }
  const verdict = await verify(root, expected, readResults(results));
  report({ verdict, files: files.length, failing, later, enqueueMs, seconds: Number(seconds()), isDone });

  await Promise.all([...workers.values()].map((worker) => end(worker, "SIGTERM")));
  await client.close();
  await end(server.child, "SIGTERM");
  rmSync(directory, { recursive: true, force: true });
  return isDone && verdict.verified === files.length ? 0 : 1;
}

function report(outcome: {
  verdict: Verdict;
  files: number;
  failing: number;
  later: number;
  enqueueMs: number;
  seconds: number;
  isDone: boolean;
}): void {
  const { verdict, files, failing, later, enqueueMs, seconds } = outcome;
  const lines = [
    "",
    `  jobs            ${files} enqueued and made durable in ${enqueueMs.toFixed(0)} ms (${Math.round(files / (enqueueMs / 1000))}/s), ${later} of them for later`,
    `  retries         ${failing * 2} (${failing} jobs fail twice on purpose, then succeed)`,
    `  redeliveries    ${verdict.repeatedRuns} times a job ran again because a kill came between its result and its ack`,
    `  verified        ${verdict.verified} of ${files} results equal this program's own computation`,
    `  wrong           ${verdict.wrong.length}${verdict.wrong.length > 0 ? `: ${verdict.wrong.slice(0, 5).join(", ")}` : ""}`,
    `  lost            ${verdict.lost.length}${verdict.lost.length > 0 ? `: ${verdict.lost.slice(0, 5).join(", ")}` : ""}`,
    `  time            ${seconds.toFixed(1)} s, ${(files / seconds).toFixed(1)} jobs/s with pretended work in each`,
  ];
  if (!outcome.isDone) lines.push("", "  The queue was not empty in time: see above for what is missing.");
  else if (verdict.verified === files) {
    lines.push("", "  Nothing was lost and nothing was wrong, although a worker and the server were killed.");
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

process.exitCode = await main();
