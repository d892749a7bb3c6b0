/**
 * MessagePack of ordinary values, by the contract's number rules: integers in their smallest encoding, those beyond
 * 2^53 - 1 as bigints on our side, everything else as doubles; maps have string keys; no bin, no ext. msgpackr does the
 * bytes; what it would do differently is settled before and after it.
 */
// This entry is the pure JavaScript one: the package's main entry also looks for a native addon.
import { Packr, Unpackr } from "msgpackr/pack";
import { QueueError } from "./errors.ts";
import { exactInteger } from "./exact-integer.ts";
import { setMember } from "./exact-json-parser.ts";
import { U64_MAX } from "./ids.ts";
import { plainValue } from "./plain-value.ts";

const I64_MIN = -(2n ** 63n);
const U32_MAX = 2 ** 32 - 1;
const I32_MIN = -(2 ** 31);

const packr = new Packr({ useRecords: false, variableMapSize: true });
// Maps as `Map`: as objects, msgpackr would rename a key `__proto__` and accept keys that are not strings.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: false });

/**
 * The MessagePack bytes of a value; the rules of `stringifyJson` hold (`toJSON`, undefined members, refusals with
 * INVALID_FIELD). Integers, as numbers or bigints, must fit 64 bits.
 */
export function encodeMsgpack(value: unknown): Uint8Array {
  return packr.pack(plainValue(value, packable).value);
}

/** The value of MessagePack bytes. MALFORMED_BODY when they are none, or hold what JSON cannot. */
export function decodeMsgpack(bytes: Uint8Array): unknown {
  try {
    return fromUnpacked(unpackr.unpack(bytes));
  } catch (cause) {
    if (cause instanceof QueueError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QueueError("MALFORMED_BODY", `not MessagePack: ${reason}`, { cause });
  }
}

/** msgpackr writes integers of more than 32 bits as doubles, but bigints as integers. */
function packable(value: number | bigint): number | bigint | undefined {
  if (typeof value === "bigint") {
    if (value > U64_MAX || value < I64_MIN) return undefined;
    const number = Number(value);
    return number <= U32_MAX && number >= I32_MIN ? number : value;
  }
  const isWide = value > U32_MAX || value < I32_MIN;
  return isWide && Number.isSafeInteger(value) ? BigInt(value) : value;
}

function fromUnpacked(value: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return value;
    case "bigint":
      return exactInteger(value);
    default:
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(fromUnpacked);
      if (value instanceof Map) return objectOf(value);
      throw new QueueError("MALFORMED_BODY", "MessagePack holds a bin or ext value; JSON cannot");
  }
}

function objectOf(map: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of map) {
    if (typeof key !== "string") throw new QueueError("MALFORMED_BODY", "MessagePack holds a key that is not a string");
    setMember(object, key, fromUnpacked(value));
  }
  return object;
}
