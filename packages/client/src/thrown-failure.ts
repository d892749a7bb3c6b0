import { inspect } from "node:util";
import type { Failure } from "./job.ts";

/** Characters kept of a message and of a stack; the server keeps no more either. */
const MESSAGE_MAX = 65_536;
const BACKTRACE_MAX = 262_144;

/** Whatever a handler threw as a failure to report; never throws, whatever the value's own code does. */
export function failureOf(thrown: unknown): Failure {
  try {
    return thrown instanceof Error ? failureOfError(thrown) : { message: cut(textOf(thrown), MESSAGE_MAX) };
  } catch {
    return { message: "the handler threw a value that cannot be shown" };
  }
}

function failureOfError(error: Error): Failure {
  // Both are only conventions: a subclass may hold anything there.
  const { message, name, stack }: { message: unknown; name: unknown; stack?: unknown } = error;
  return {
    message: cut(typeof message === "string" ? message : textOf(message), MESSAGE_MAX),
    ...(typeof name === "string" ? { errorType: cut(name, MESSAGE_MAX) } : undefined),
    ...(typeof stack === "string" ? { backtrace: cut(stack, BACKTRACE_MAX) } : undefined),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, { depth: 3, maxStringLength: MESSAGE_MAX });
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
