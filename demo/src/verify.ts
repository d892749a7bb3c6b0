import { join } from "node:path";
import { inspectFile } from "./inspect-file.ts";
import type { Result } from "./results.ts";

export interface Verdict {
  /** Files whose every result equals what the demo computed by itself. */
  readonly verified: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** Runs beyond the first of a job that had already left a result: deliveries after a kill. */
  readonly repeatedRuns: number;
}

/** Compares every result with the demo's own computation. A job in `expected` without a result is lost. */
export async function verify(
  root: string,
  expected: ReadonlyMap<string, string>,
  results: readonly Result[],
): Promise<Verdict> {
  const byJob = new Map<string, Result[]>();
  for (const result of results) byJob.set(result.job, [...(byJob.get(result.job) ?? []), result]);
  const lost: string[] = [];
  const wrong: string[] = [];
  let verified = 0;
  let repeatedRuns = 0;
  for (const [job, path] of expected) {
    const found = byJob.get(job) ?? [];
    if (found.length === 0) {
      lost.push(path);
      continue;
    }
    repeatedRuns += found.length - 1;
    const own = await inspectFile(join(root, path));
    const isRight = found.every(
      (result) =>
        result.path === path && result.sha256 === own.sha256 && result.lines === own.lines && result.type === own.type,
    );
    if (isRight) verified += 1;
    else wrong.push(path);
  }
  return { verified, lost, wrong, repeatedRuns };
}
