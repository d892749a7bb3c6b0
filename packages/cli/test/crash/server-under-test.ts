/** A real server process for tests, started from the built files as a user starts it, always on one port and directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../bin/millrace.js", import.meta.url));

export class ServerUnderTest {
  readonly directory = mkdtempSync(join(tmpdir(), "millrace-test-"));
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;
  port = 0;

  constructor(flags: readonly string[] = []) {
    this.#flags = flags;
  }

  /** Resolves with the listening line's time after the start, milliseconds. */
  async start(): Promise<number> {
    const began = performance.now();
    const basic = ["serve", "--port", String(this.port), "--no-admin", "--root-dir", join(this.directory, "root")];
    const argv = [launcher, ...basic, "--log-format", "json", "--log-level", "info", ...this.#flags];
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    this.port = await new Promise<number>((resolve, reject) => {
      child.once("exit", (code, signal) =>
        reject(new Error(`the server ended (${signal ?? code}) before it listened`)),
      );
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (!line.includes('"api":"primary"')) return;
        const addr: string = JSON.parse(line).fields.addr;
        resolve(Number(addr.slice(addr.lastIndexOf(":") + 1)));
      });
    });
    return performance.now() - began;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Sends a signal; resolves with the exit code, or the signal's name, when the process is gone. */
  end(signal: NodeJS.Signals): Promise<number | string> {
    const child = this.#child;
    return new Promise((resolve) => {
      if (child === undefined) return resolve(0);
      if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode ?? child.signalCode ?? 0);
      child.once("exit", (code, by) => resolve(code ?? by ?? 0));
      child.kill(signal);
    });
  }

  /** Resident memory, bytes. */
  residentBytes(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  }

  /** Open files and sockets. */
  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
