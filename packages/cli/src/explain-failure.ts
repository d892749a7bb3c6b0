/** What went wrong, for whoever typed the command: what was tried, why it failed, what to do next; and the exit code. */
import { QueueError } from "@millrace/protocol/errors";
import { UsageError } from "./arguments.ts";
import { exitCodes } from "./exit-codes.ts";
import { printable } from "./output.ts";

export interface Explanation {
  readonly text: string;
  readonly exitCode: number;
}

/** @param tried such as "enqueue the job". Undefined = this is no failure that a user could meet. */
export function explainFailure(error: unknown, tried: string): Explanation | undefined {
  if (error instanceof UsageError) return { text: `${error.message}\n`, exitCode: exitCodes.usage };
  if (isConnectionError(error)) return explainConnection(error, tried);
  if (!(error instanceof QueueError)) return undefined;
  const next = nextSteps[error.code];
  return {
    text: `cannot ${tried}: ${printable(error.message)} (${error.code})${next === undefined ? "" : `\n${next}`}\n`,
    exitCode: exitCodeOf(error),
  };
}

/** The client's `ConnectionError`, by its name: loading the client only to know it would slow every refusal down. */
interface ConnectionError extends Error {
  readonly kind: string;
  readonly mayHaveHappened: boolean;
}

function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === "ConnectionError" && "kind" in error && "mayHaveHappened" in error;
}

const nextSteps: Readonly<Partial<Record<string, string>>> = {
  JOB_NOT_FOUND: "It may have finished and been deleted since. What there is: millrace jobs ls",
  INVALID_NAME: "A name is not empty and holds none of , * ? [ ] { } \\",
  PAYLOAD_TOO_LARGE: "Store it elsewhere and enqueue where it is, or raise the server's --max-payload-size.",
  NOT_READY: "The server is still reading its store; try again in a moment.",
  SHUTTING_DOWN: "The server is stopping; try again when it is back.",
  STORAGE_UNAVAILABLE: "The server cannot write; its log says why.",
};

function explainConnection(error: ConnectionError, tried: string): Explanation {
  const lines = [`cannot ${tried}: ${error.message}`];
  if (error.kind === "unreachable") {
    lines.push("Start a server with `millrace serve`, or say where it is with --url or MILLRACE_URL.");
  } else if (error.kind === "protocol") {
    lines.push("Is this the address of a Millrace server? Say where it is with --url or MILLRACE_URL.");
  } else if (error.mayHaveHappened) {
    lines.push("Look with `millrace jobs ls` before you repeat it.");
  }
  return { text: `${lines.join("\n")}\n`, exitCode: exitCodes.unreachable };
}

function exitCodeOf(error: QueueError): number {
  if (error.status === 404) return exitCodes.notFound;
  return error.status === 409 ? exitCodes.conflict : exitCodes.failed;
}
