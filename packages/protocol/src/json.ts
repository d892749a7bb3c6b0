/**
 * JSON with integers of any size. `JSON.parse` reads 9007199254740993 as …992; here integers beyond 2^53 - 1 are bigints,
 * both ways. Everything else is as in `JSON`, and texts without such integers are left to it.
 */
import { QueueError } from "./errors.ts";
import { ExactJsonParser } from "./exact-json-parser.ts";
import { plainValue } from "./plain-value.ts";

/** Sixteen digits of an integer, the fewest that can exceed 2^53 - 1. Inside strings they only cost time. */
const LONG_INTEGER = /(?<![\d.])\d{16}/;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The value of a JSON text or of its UTF-8 bytes. Integers beyond 2^53 - 1 of up to 1000 digits are bigints, longer ones and
 * all other numbers doubles. MALFORMED_BODY when it is not JSON.
 */
export function parseJson(input: string | Uint8Array): unknown {
  const text = typeof input === "string" ? input : textOf(input);
  try {
    return LONG_INTEGER.test(text) ? new ExactJsonParser(text).document() : JSON.parse(text);
  } catch (cause) {
    if (cause instanceof QueueError) throw cause;
    throw new QueueError("MALFORMED_BODY", `not JSON: ${messageOf(cause)}`, { cause });
  }
}

/**
 * The JSON text of a value; bigints become integers. As in `JSON.stringify`, `toJSON` is asked and members that are undefined
 * are left out. What JSON cannot hold (undefined elsewhere, functions, symbols, NaN, infinities, cycles) is refused with
 * INVALID_FIELD and the path to it.
 */
export function stringifyJson(value: unknown): string {
  const plain = plainValue(value);
  return plain.hasBigint ? textWithBigints(plain.value) : JSON.stringify(plain.value);
}

function textWithBigints(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(textWithBigints).join(",")}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${textWithBigints(member)}`);
  return `{${members.join(",")}}`;
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new QueueError("MALFORMED_BODY", "not JSON: the bytes are not UTF-8", { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
