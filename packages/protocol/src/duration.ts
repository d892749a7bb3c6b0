import { QueueError } from "./errors.ts";

const durationUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const sizeUnits: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/**
 * Milliseconds of a duration as people write it: `90s`, `500ms`, `2h 30m`, `1.5h`, `7d`; a bare number is milliseconds.
 * The result is whole and at most 2^53 - 1. INVALID_FIELD otherwise, with a text that says how to write it.
 */
export function parseDuration(text: string): number {
  const ms = sumOf(text, durationUnits, (unit) => unit);
  if (ms !== undefined) return ms;
  throw new QueueError(
    "INVALID_FIELD",
    `"${text}" is not a duration of whole milliseconds: write for example 500ms, 90s, 2h 30m or 7d`,
  );
}

/**
 * Bytes of a size as people write it: `256MB` (powers of 1000), `16MiB` (powers of 1024), `1GiB 512MiB`, in any case; a bare
 * number is bytes. The result is whole and at most 2^53 - 1. INVALID_FIELD otherwise, with a text that says how to write it.
 */
export function parseSize(text: string): number {
  const bytes = sumOf(text, sizeUnits, (unit) => unit.toLowerCase());
  if (bytes !== undefined) return bytes;
  throw new QueueError(
    "INVALID_FIELD",
    `"${text}" is not a size of whole bytes: write for example 65536, 64KiB, 256MB or 1GiB`,
  );
}

const PART = /(\d+)(?:\.(\d{1,9}))?\s*([a-z]+)\s*/giy;

/** The sum of parts such as `2h 30m` in the smallest unit; undefined when the text is none, or not whole, or too large. */
function sumOf(
  text: string,
  units: Readonly<Record<string, number>>,
  nameOf: (unit: string) => string,
): number | undefined {
  const rest = text.trim();
  if (/^\d+$/.test(rest)) return wholeOf(Number(rest));
  let sum = 0;
  let end = 0;
  for (const part of rest.matchAll(PART)) {
    const [all, whole = "", fraction = "", unit = ""] = part;
    const name = nameOf(unit);
    const factor = Object.hasOwn(units, name) ? units[name] : undefined;
    if (factor === undefined) return undefined;
    // The fraction is counted in whole numbers: 1.1 * 1000 is not 1100 in doubles.
    const fractionInUnits = (Number(fraction) * factor) / 10 ** fraction.length;
    sum += Number(whole) * factor + fractionInUnits;
    end = (part.index ?? 0) + all.length;
  }
  return end > 0 && end === rest.length ? wholeOf(sum) : undefined;
}

function wholeOf(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}
