/**
 * Results are lines in a file a worker: appended in one piece, before the job is acked. A worker that is killed in between
 * leaves a result without an ack; the job runs again, and the second result must equal the first.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Inspection } from "./inspect-file.ts";

export interface Result extends Inspection {
  readonly job: string;
  readonly path: string;
  /** Failed attempts before this run. */
  readonly attempt: number;
}

export function appendResult(directory: string, worker: string, result: Result): void {
  appendFileSync(join(directory, `${worker}.ndjson`), `${JSON.stringify(result)}\n`);
}

/** Every whole line of every worker; a line that a kill cut off is left out, its job runs again. */
export function readResults(directory: string): Result[] {
  if (!existsSync(directory)) return [];
  const results: Result[] = [];
  for (const name of readdirSync(directory)) {
    const lines = readFileSync(join(directory, name), "utf8").split("\n");
    for (const line of lines.slice(0, -1)) {
      try {
        results.push(JSON.parse(line) as Result);
      } catch {
        // The rest of a line that was cut off by a kill, with the next worker's line behind it.
      }
    }
  }
  return results;
}
