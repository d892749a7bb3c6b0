/** `npm run sim`: one world told line by line, or many worlds and what became of them. */
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { runWorld, type WorldReport } from "./world.ts";

const usage = `npm run sim -- [--seed N | --seeds A..B | --count N] [--lives N]

  --seed N       lives the world of one seed and tells its history, one line an event (default: --seed 1)
  --seeds A..B   lives many worlds and reports those that went wrong
  --count N      the same for N seeds that begin at a random one
  --lives N      lives that end badly before the calm one (default 3)
`;

interface Choice {
  readonly first: number;
  readonly last: number;
  readonly lives: number;
  readonly isTold: boolean;
}

/** The seed of the world that is lived now, for the last words of a run that breaks off. */
let livedNow = 0;

/** Runs as asked; answers the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // Whoever reads only the beginning of a history (`| head`) has seen enough.
  process.stdout.on("error", () => process.exit());
  const choice = parse(argv);
  if (choice === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  process.on("unhandledRejection", (error) => {
    process.stderr.write(
      `seed ${livedNow}: a promise failed and nobody heard of it\n  npm run sim -- --seed ${livedNow}\n`,
    );
    throw error;
  });
  return choice.isTold ? await tellOne(choice) : await liveMany(choice);
}

function parse(argv: readonly string[]): Choice | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        seed: { type: "string" },
        seeds: { type: "string" },
        count: { type: "string" },
        lives: { type: "string", default: "3" },
      },
    });
    const lives = whole(values.lives);
    if (values.seeds !== undefined) {
      const [first, last] = values.seeds.split("..").map(whole);
      return first === undefined || last === undefined ? undefined : { first, last, lives, isTold: false };
    }
    if (values.count !== undefined) {
      const first = Math.floor(Math.random() * 1e9);
      return { first, last: first + whole(values.count) - 1, lives, isTold: false };
    }
    const seed = whole(values.seed ?? "1");
    return { first: seed, last: seed, lives, isTold: true };
  } catch {
    return undefined;
  }
}

function whole(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new RangeError(`not a whole number: ${text}`);
  return Number(text);
}

async function tellOne({ first, lives }: Choice): Promise<number> {
  livedNow = first;
  const report = await runWorld(first, { lives });
  for (const line of report.journal) process.stdout.write(`${line}\n`);
  process.stdout.write(`\n${summary([report])}\n`);
  return verdict([report], lives);
}

async function liveMany({ first, last, lives }: Choice): Promise<number> {
  const began = performance.now();
  const reports: WorldReport[] = [];
  for (let seed = first; seed <= last; seed += 1) {
    livedNow = seed;
    const report = await runWorld(seed, { lives });
    reports.push({ ...report, journal: report.complaints.length === 0 ? [] : report.journal });
    if (report.complaints.length > 0) process.stdout.write(`seed ${seed}: ${report.complaints[0]}\n`);
    else progress(seed - first + 1, last - first + 1);
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${summary(reports)} in ${seconds} s\n`);
  return verdict(reports, lives);
}

function progress(done: number, all: number): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${done} of ${all} worlds${done === all ? "\n" : ""}`);
  else if (done % 100 === 0) process.stdout.write(`${done} of ${all} worlds\n`);
}

function summary(reports: readonly WorldReport[]): string {
  const sum = (of: (report: WorldReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const hours = (sum(({ simulatedMs }) => simulatedMs) / 3_600_000).toFixed(1);
  return [
    `${reports.length} world${reports.length === 1 ? "" : "s"}, ${sum(({ lives }) => lives)} lives, ${hours} simulated hours:`,
    `${sum(({ accepted }) => accepted)} jobs accepted,`,
    `${sum(({ sent }) => sent)} sent (${sum(({ redelivered }) => redelivered)} of them again),`,
    `${sum(({ acked }) => acked)} acked, ${sum(({ failed }) => failed)} failures,`,
    `${sum(({ lostWrites }) => lostWrites)} unsynced writes lost`,
  ].join(" ");
}

function verdict(reports: readonly WorldReport[], lives: number): number {
  const bad = reports.filter(({ complaints }) => complaints.length > 0);
  if (bad.length === 0) {
    process.stdout.write("The oracle has nothing to complain of.\n");
    return 0;
  }
  process.stdout.write(`\nThe oracle complains of ${bad.length} of ${reports.length}, at commit ${commit()}:\n`);
  for (const { seed, complaints } of bad.slice(0, 20)) {
    process.stdout.write(
      `  seed ${seed}: ${complaints.join("\n    ")}\n    npm run sim -- --seed ${seed}${lives === 3 ? "" : ` --lives ${lives}`}\n`,
    );
  }
  return 1;
}

function commit(): string {
  try {
    const hash = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return hash.trim();
  } catch {
    return "unknown";
  }
}
