/**
 * One server a directory (docs/decisions/0006-one-writer-per-store.md). The store's own lock decides: the kernel holds it for as
 * long as the process lives, so no kill leaves it behind and nothing must be removed by hand. It cannot say who holds it; that
 * is what the label `millrace.lock` is for. Only the holder of the store's lock writes it, and nobody ever removes it, so there
 * is nothing to race for: it names the pid, and when that process began, since pids are used again.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { machineBoot } from "./machine-boot.ts";

/** The directory is in use by another process. The process ends with 75. */
export class RootLocked extends Error {
  override readonly name = "RootLocked";
  /** Undefined = it could not be found out. */
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    const who = pid === undefined ? "another process" : `process ${pid}`;
    super(`${directory} is in use by ${who}; stop that server first, or choose another --root-dir`);
    this.pid = pid;
  }
}

interface Label {
  readonly pid: number;
  readonly began: string;
}

/**
 * Makes the directory, and those above it, where they are missing; closed to other users. Level by level: Node's own recursion
 * never ends where a file system says that a directory cannot be made in one that is there (/proc does).
 */
export function makeRoot(directory: string): void {
  const missing: string[] = [];
  for (let path = resolve(directory); !existsSync(path); path = dirname(path)) missing.push(path);
  for (const path of missing.reverse()) makeIfMissing(path);
}

function makeIfMissing(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/**
 * The pid of the running process, other than this one, that the label names; undefined when there is none, or where nobody says
 * whether it still runs: then the store's lock decides. What this process itself has open, the store knows.
 */
export function holderOf(directory: string): number | undefined {
  const label = labelIn(read(pathOf(directory)));
  if (label === undefined || label.pid === process.pid) return undefined;
  return beginningOf(label.pid) === label.began ? label.pid : undefined;
}

/** Names this process as the holder. Only for who has the store open. */
export function labelRoot(directory: string): void {
  const path = pathOf(directory);
  // Renamed into place, so that nobody ever reads half of it.
  const whole = `${path}.${process.pid}`;
  writeFileSync(whole, `${process.pid} ${beginningOf(process.pid) ?? "?"}\n`, { mode: 0o600 });
  renameSync(whole, path);
}

function pathOf(directory: string): string {
  return join(directory, "millrace.lock");
}

function labelIn(text: string | undefined): Label | undefined {
  const [, pid, began] = /^(\d{1,10}) (\S+)\n$/.exec(text ?? "") ?? [];
  return pid === undefined || began === undefined ? undefined : { pid: Number(pid), began };
}

/** When a process began, as a text that no other process of this machine has; undefined = it is gone, or nobody says. */
function beginningOf(pid: number): string | undefined {
  const boot = machineBoot();
  const stat = read(`/proc/${pid}/stat`);
  if (boot === undefined || stat === undefined) return undefined;
  // The program's name stands in parentheses and may hold anything, even those.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  // A zombie has let go of everything; only its exit code waits to be read.
  return state === "Z" || state === "X" ? undefined : `${boot}:${fields[19]}`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    // ESRCH: a process that ended while its entry was being read.
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw cause;
  }
}
