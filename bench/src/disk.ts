import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";

/** Median milliseconds of one appended 4 KiB block and its fdatasync where the bench keeps its data: what fsync costs at least. */
export function rawSyncMillis(): number {
  const directory = mkdtempSync(join(process.env["MILLRACE_BENCH_DIR"] ?? tmpdir(), "millrace-sync-"));
  const file = openSync(join(directory, "block"), "w");
  const block = Buffer.alloc(4096, 1);
  const times: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const began = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    times.push(performance.now() - began);
  }
  closeSync(file);
  rmSync(directory, { recursive: true });
  return median(times);
}
