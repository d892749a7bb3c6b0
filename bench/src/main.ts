/** `npm run bench -- [--only W2,W3,W4,W5,restart] [--mode fsync,buffered] [--reps 3] [--scale 1] [--profile DIR]`: our figures, with their settings. */
import { cpus, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { rawSyncMillis } from "./disk.ts";
import { median, type Row, rateOf, type Sample } from "./measure.ts";
import { restart } from "./restart.ts";
import { type CommitMode, ServerProcess } from "./server-process.ts";
import { bulkEnqueues, drain, flow, singleEnqueues } from "./workloads.ts";

interface Workload {
  readonly name: string;
  readonly what: string;
  run(server: ServerProcess, jobs: number): Promise<Sample>;
  readonly jobs: number;
}

const workloads: readonly Workload[] = [
  {
    name: "W2",
    what: "single enqueues, 64 raw connections",
    run: (server, jobs) => singleEnqueues(server, jobs),
    jobs: 100_000,
  },
  { name: "W3", what: "bulk of 1000, 2 in flight", run: (server, jobs) => bulkEnqueues(server, jobs), jobs: 400_000 },
  { name: "W4", what: "drain, 1 worker, prefetch 100", run: (server, jobs) => drain(server, jobs), jobs: 200_000 },
  {
    name: "W5",
    what: "1 producer x 64 coalesced + 1 worker",
    run: (server, jobs) => flow(server, jobs),
    jobs: 200_000,
  },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "W2,W3,W4,W5,restart" },
      mode: { type: "string", default: "fsync,buffered" },
      reps: { type: "string", default: "3" },
      scale: { type: "string", default: "1" },
      profile: { type: "string" },
    },
  });
  const chosen = new Set(values.only.split(","));
  const cpu = cpus();
  process.stdout.write(
    `node ${process.version}, ${cpu.length} x ${cpu[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}\n` +
      `server and clients on the same machine, loopback; payload about 150 bytes; medians of ${values.reps}; lean clients in one process\n` +
      `one 4 KiB write + fdatasync: ${rawSyncMillis().toFixed(3)} ms p50\n\n`,
  );
  for (const mode of values.mode.split(",") as CommitMode[]) {
    for (const workload of workloads) {
      if (!chosen.has(workload.name)) continue;
      print(await repeat(workload, mode, Number(values.reps), Number(values.scale), values.profile));
    }
    if (chosen.has("restart")) await printRestart(mode, Math.ceil(1_000_000 * Number(values.scale)));
  }
}

async function printRestart(mode: CommitMode, jobs: number): Promise<void> {
  const { listening, firstEnqueue, firstJob, residentMb } = await restart(mode, jobs);
  process.stdout.write(
    `${mode.padEnd(9)} restart with ${jobs} ready: listens after ${listening.toFixed(2)} s, first enqueue answered after ` +
      `${firstEnqueue.toFixed(2)} s, first job handed out after ${firstJob.toFixed(2)} s, then ${Math.round(residentMb)} MB resident\n`,
  );
}

async function repeat(
  workload: Workload,
  mode: CommitMode,
  reps: number,
  scale: number,
  profile?: string,
): Promise<Row> {
  const samples: Sample[] = [];
  for (let i = 0; i < reps; i += 1) {
    const nodeFlags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    const server = await ServerProcess.start({ commitMode: mode, nodeFlags });
    // Warm-up: the compiler's and the sockets', not the server's store.
    await workload.run(server, Math.ceil(workload.jobs * scale * 0.1));
    samples.push(await workload.run(server, Math.ceil(workload.jobs * scale)));
    await server.stop();
  }
  return { workload: `${workload.name} ${workload.what}`, mode, client: "lean", samples };
}

function print(row: Row): void {
  const rates = row.samples.map(rateOf);
  const rate = `${Math.round(median(rates) / 100) / 10}k/s`;
  const micros = median(row.samples.map((sample) => sample.serverMicros)).toFixed(1);
  const runs = rates.map((value) => `${Math.round(value / 1000)}k`).join(" ");
  process.stdout.write(
    `${row.mode.padEnd(9)} ${row.workload.padEnd(42)} ${rate.padStart(9)}   ${micros.padStart(5)} server CPU us/job   runs ${runs}\n`,
  );
}

await main();
