import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";

/** What a job finds out about one file. */
export interface Inspection {
  readonly sha256: string;
  readonly lines: number;
  readonly type: string;
}

/** Reads a file and says what it is. Workers do this as their job; the demo does it again by itself to check them. */
export async function inspectFile(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  return {
    sha256: createHash("sha256").update(bytes).digest("hex"),
    lines: countLines(bytes),
    type: typeOf(path, bytes),
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return bytes.length > 0 && bytes[bytes.length - 1] !== 10 ? lines + 1 : lines;
}

function typeOf(path: string, bytes: Buffer): string {
  if (bytes.includes(0)) return "binary";
  if (bytes.subarray(0, 2).toString("latin1") === "#!") return "script";
  return extname(path).slice(1) || "text";
}
