import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const launcher = fileURLToPath(new URL("../../packages/cli/bin/millrace.js", import.meta.url));
const workerScript = fileURLToPath(new URL("worker.js", import.meta.url));

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
}

/** Starts the server and resolves when it listens. @param port 0 = any free one */
export async function startServer(directory: string, port: number): Promise<RunningServer> {
  const flags = ["--port", String(port), "--no-admin", "--root-dir", directory, "--log-format", "json"];
  const child = spawn(process.execPath, [launcher, "serve", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  // Through a pipe: to a terminal the server would print its banner into the progress.
  child.stderr.pipe(process.stderr, { end: false });
  const lines = createInterface({ input: child.stdout });
  const bound = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code, signal) => reject(new Error(`the server ended (${signal ?? code}) before it listened`)));
    lines.on("line", (line) => {
      if (!line.includes('"api":"primary"')) return;
      const { addr } = JSON.parse(line).fields as { addr: string };
      resolve(Number(addr.slice(addr.lastIndexOf(":") + 1)));
    });
  });
  return { url: `http://127.0.0.1:${bound}`, port: bound, child };
}

export function startWorker(url: string, results: string, name: string): ChildProcess {
  return spawn(process.execPath, [workerScript, url, results, name], { stdio: ["ignore", "ignore", "inherit"] });
}

/** Sends a signal and resolves when the process is gone. */
export function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
