/**
 * One server a directory (docs/decisions/0006-one-writer-per-store.md). LevelDB has a lock of its own, but it cannot say who
 * holds it; this file can: it names the process, by its pid and the moment it started, so that a pid that was given to
 * somebody else since is not mistaken for a holder, and a holder that was killed leaves nothing behind that must be removed
 * by hand.
 */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
/** The directory is in use by another process. The process ends with 75. */
export class RootLocked extends Error {
  override readonly name = "RootLocked";
  readonly pid: number;

  constructor(directory: string, pid: number) {
    super(
      `${directory} is in use by another millrace server, process ${pid}; stop it first, or choose another --root-dir`,
    );
    this.pid = pid;
  }
}
export interface RootLock {
  /** Twice is fine. */
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly start: string;
}

const attemptsMax = 10;
/** Makes the directory (mode 0700) if it is missing and takes its lock. @throws RootLocked */
export function lockRoot(directory: string): RootLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "millrace.lock");
  // Written whole under a name of its own and then linked: nobody ever reads half a lock, and only one link succeeds.
  const own = join(directory, `millrace.lock.${process.pid}`);
  writeFileSync(own, `${process.pid} ${startOf(process.pid) ?? "?"}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      if (tryLink(own, path)) return { release: () => release(path) };
      const holder = read(path);
      if (holder !== undefined && isRunning(holder)) throw new RootLocked(directory, holder.pid);
      rmSync(path, { force: true });
    }
    throw new RootLocked(directory, read(path)?.pid ?? 0);
  } finally {
    rmSync(own, { force: true });
  }
}
function tryLink(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
function read(path: string): Holder | undefined {
  try {
    const [pid = "", start = "?"] = readFileSync(path, "utf8").trim().split(" ");
    return /^\d+$/.test(pid) ? { pid: Number(pid), start } : undefined;
  } catch {
    return undefined;
  }
}
function isRunning(holder: Holder): boolean {
  if (holder.pid === process.pid) return holder.start === (startOf(process.pid) ?? "?");
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const start = startOf(holder.pid);
  return start === undefined || holder.start === "?" || start === holder.start;
}
/** When a process started, in the kernel's ticks since boot; undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; the 20th field behind it is the start time.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
function release(path: string): void {
  if (read(path)?.pid === process.pid) rmSync(path, { force: true });
}
