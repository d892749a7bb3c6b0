/** Texts of the command line to values. What is wrong is refused with the flag's name, and the command ends with 64. */
import { parseDuration } from "@millrace/protocol/duration";
import { QueueError } from "@millrace/protocol/errors";
import { type Status, statuses } from "@millrace/protocol/job-view";
import { InvalidArgumentError } from "commander";
import type { Terminal } from "./output.ts";

/** A command line that cannot be, found by the command itself. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A parser of whole numbers in a range, both ends included. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Milliseconds of a duration such as `90s` or `2h 30m`. */
export function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    if (cause instanceof QueueError) throw new InvalidArgumentError(`${cause.message}.`);
    throw cause;
  }
}

const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Milliseconds since 1970 of an ISO time with its zone, or of such a number. */
export function instantOf(text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : ISO_WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  // Without a zone it would mean something else on every machine.
  throw new InvalidArgumentError(
    "It must be a time with its zone, such as 2026-01-05T10:00:00Z, or milliseconds since 1970.",
  );
}

/** Names separated by commas; a repeated flag adds to the ones before. */
export function names(text: string, before: readonly string[] = []): readonly string[] {
  const added = text.split(",");
  if (added.some((name) => name === ""))
    throw new InvalidArgumentError("It must be a name, or several with commas between.");
  return [...before, ...added];
}

/** As {@link names}, of the five words that a status can be. */
export function statusWords(text: string, before: readonly Status[] = []): readonly Status[] {
  const added = names(text).map((name) => {
    const status = statuses.find((word) => word === name);
    if (status === undefined) throw new InvalidArgumentError(`It must be among ${statuses.join(", ")}.`);
    return status;
  });
  return [...before, ...added];
}

/** Where the server is: the flag, else `MILLRACE_URL`, else this machine. UsageError when that is no URL. */
export function serverUrl(options: { readonly url?: string }, terminal: Terminal): string {
  const url = options.url ?? (terminal.env["MILLRACE_URL"] || "http://127.0.0.1:7890");
  const source = options.url === undefined ? "MILLRACE_URL" : "--url";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError(`${source} must be a URL such as http://127.0.0.1:7890, not "${url}"`);
  }
  return url;
}
