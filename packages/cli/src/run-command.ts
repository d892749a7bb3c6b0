/**
 * One job as one run of a command: payload on its standard input, exit code 0 is success.
 *
 * The command gets a process group of its own. Ctrl-C on a terminal then stops the worker and not the commands, which may finish;
 * and when one must end, what it started ends with it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { StderrTail } from "./stderr-tail.ts";

/** Bytes of standard error that a failure keeps: what a command says last explains it best. */
const tailBytesMax = 8 * 1024;
/** Milliseconds between asking a command to end and ending it. */
const termGraceMs = 5000;
/** Milliseconds between two looks at whether they have ended. */
const lookMs = 20;
/** Milliseconds in which what the command left behind may hold its standard error open. */
const lingerMs = 1000;

/** The command did not succeed; its name says how it ended, its message why as far as the command told. */
class CommandFailed extends Error {
  override readonly name: string;

  constructor(how: string, message: string) {
    super(message);
    this.name = how;
    // The stack would be this program's, which explains nothing about the command.
    Object.defineProperty(this, "stack", { value: undefined });
  }
}

export interface CommandRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** For its standard input. */
  readonly input: string;
  /** Its standard output goes nowhere, its standard error into the failure only. */
  readonly quiet: boolean;
  /** Asks the command to end, and ends it a few seconds later. */
  readonly signal: AbortSignal;
}

/** Resolves when the command succeeded and is gone; rejects with CommandFailed. */
export function runCommand(run: CommandRun): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(run.command, run.args, {
      env: run.env,
      detached: true,
      stdio: ["pipe", run.quiet ? "ignore" : "inherit", "pipe"],
    });
    const tail = new StderrTail(tailBytesMax);
    child.stderr.on("data", (chunk: Buffer) => {
      tail.push(chunk);
      if (!run.quiet) process.stderr.write(chunk);
    });
    // A command need not read its payload.
    child.stdin.on("error", () => {});
    child.stdin.end(run.input);
    const group = new ProcessGroup(child);
    const end = () => group.end();
    if (run.signal.aborted) end();
    else run.signal.addEventListener("abort", end);
    const settle = (failure: CommandFailed | undefined) => {
      run.signal.removeEventListener("abort", end);
      void group.ended.then(() => (failure === undefined ? resolve() : reject(failure)));
    };
    child.on("error", (cause) => {
      if (child.pid === undefined) settle(new CommandFailed("not started", notStarted(run.command, cause)));
    });
    child.on("exit", () => {
      const late = setTimeout(() => child.stderr.destroy(), lingerMs);
      child.on("close", () => clearTimeout(late));
    });
    child.on("close", (code, signal) => settle(failureOf(code, signal, tail.text())));
  });
}

function failureOf(code: number | null, signal: string | null, said: string): CommandFailed | undefined {
  if (code === 0) return undefined;
  if (signal !== null) {
    const how = `ended by ${signal}`;
    return new CommandFailed(how, said === "" ? how : `${how}\n${said}`);
  }
  const how = `exit code ${code}`;
  return new CommandFailed(how, said === "" ? how : said);
}

function notStarted(command: string, cause: Error): string {
  const code = "code" in cause ? cause.code : undefined;
  if (code === "ENOENT") return `command not found: ${command}`;
  if (code === "EACCES") return `${command} may not be executed`;
  return `${command} could not be started: ${cause.message}`;
}

/** A command and all that it started. */
class ProcessGroup {
  readonly #child: ChildProcess;
  /** Resolves when nothing is left of it; at once as long as nobody asked it to end. */
  ended: Promise<void> = Promise.resolve();
  #ending = false;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Asks all to end, waits, and ends what is left. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#send("SIGTERM");
    const deadline = performance.now() + termGraceMs;
    this.ended = new Promise((resolve) => {
      const timer = setInterval(() => {
        const isLate = performance.now() >= deadline;
        // What cannot be asked is gone: a shell often ends at once and leaves the program that it ran to finish.
        if (!isLate && this.#send(0)) return;
        if (isLate) this.#send("SIGKILL");
        clearInterval(timer);
        resolve();
      }, lookMs);
    });
  }

  /** False = there is nobody to send to. */
  #send(signal: NodeJS.Signals | 0): boolean {
    if (this.#child.pid === undefined) return false;
    try {
      return process.kill(-this.#child.pid, signal);
    } catch {
      return false;
    }
  }
}
