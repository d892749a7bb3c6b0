/** The server under test: a process of its own, started as a user starts it, with a fresh directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type CommitMode = "fsync" | "buffered";

const launcher = fileURLToPath(new URL("../../packages/cli/bin/millrace.js", import.meta.url));
/** Kernel clock ticks a second, as /proc counts them; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

export class ServerProcess {
  readonly port: number;
  readonly directory: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, directory: string) {
    this.#child = child;
    this.port = port;
    this.directory = directory;
  }

  /**
   * @param options.directory an existing one to restart on; default a fresh temporary one
   * @param options.nodeFlags for example `--cpu-prof`
   */
  static async start(options: {
    commitMode: CommitMode;
    directory?: string | undefined;
    nodeFlags?: readonly string[];
    flags?: readonly string[];
  }): Promise<ServerProcess> {
    const directory =
      options.directory ?? mkdtempSync(join(process.env["MILLRACE_BENCH_DIR"] ?? tmpdir(), "millrace-bench-"));
    const flags = ["serve", "--port", "0", "--no-admin", "--root-dir", directory, "--log-format", "json"];
    const limits = ["--default-commit-mode", options.commitMode, "--global-in-flight-limit", "0"];
    const argv = [...(options.nodeFlags ?? []), launcher, ...flags, ...limits, ...(options.flags ?? [])];
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"], cwd: directory });
    const lines = createInterface({ input: child.stdout });
    const port = await new Promise<number>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened`)));
      lines.on("line", (line) => {
        if (!line.includes('"api":"primary"')) return;
        const addr: string = JSON.parse(line).fields.addr;
        resolve(Number(addr.slice(addr.lastIndexOf(":") + 1)));
      });
    });
    return new ServerProcess(child, port, directory);
  }

  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** Resident memory in MB. */
  residentMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** An orderly stop; the directory goes unless it is kept for a restart. */
  async stop(options: { keep?: boolean } = {}): Promise<void> {
    await this.#end("SIGTERM");
    if (options.keep !== true) rmSync(this.directory, { recursive: true, force: true });
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) return resolve();
      this.#child.once("exit", () => resolve());
      this.#child.kill(signal);
    });
  }
}
