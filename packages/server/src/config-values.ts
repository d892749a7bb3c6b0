import { parseDuration, parseSize } from "@millrace/protocol/duration";
import { QueueError } from "@millrace/protocol/errors";
import { durationMaxMs, type Flag } from "./config-flags.ts";
/** Command line or environment cannot be understood, or asks for what is refused. The process ends with 64. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
/** The number that a flag's text means, in its unit. @throws UsageError naming the flag or variable */
export function numberOf(label: string, flag: Flag, text: string): number {
  const value = read(label, flag, text);
  const min = flag.min ?? 0;
  const max = flag.max ?? (flag.kind === "duration" ? durationMaxMs : Number.MAX_SAFE_INTEGER);
  if (value >= min && value <= max) return value;
  throw new UsageError(`${label} must be from ${min} to ${max}, not ${text}`);
}
function read(label: string, flag: Flag, text: string): number {
  switch (flag.kind) {
    case "duration":
      return orUsage(label, () => parseDuration(text));
    case "size":
      return orUsage(label, () => parseSize(text));
    case "decimal":
      if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
      throw new UsageError(`${label} must be a number like 4.0, not "${text}"`);
    case "port":
      if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
      throw new UsageError(`${label} must be a port from 0 to 65535, not "${text}"`);
    default:
      if (/^\d+$/.test(text)) return Number(text);
      throw new UsageError(`${label} must be a whole number, not "${text}"`);
  }
}
function orUsage(label: string, parse: () => number): number {
  try {
    return parse();
  } catch (error) {
    if (error instanceof QueueError) throw new UsageError(`${label}: ${error.message}`);
    throw error;
  }
}
/** One of a flag's words. @throws UsageError that lists them */
export function wordOf<Word extends string>(label: string, words: readonly Word[], text: string): Word {
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw new UsageError(`${label} must be one of ${words.join(", ")}, not "${text}"`);
}
/** A switch in the environment. */
export function switchOf(label: string, text: string): boolean {
  if (["1", "true", "yes", "on"].includes(text.toLowerCase())) return true;
  if (["", "0", "false", "no", "off"].includes(text.toLowerCase())) return false;
  throw new UsageError(`${label} must be true or false, not "${text}"`);
}
