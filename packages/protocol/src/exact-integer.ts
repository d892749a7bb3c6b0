/** The one form of an integer of any size: a number where that is exact, within ±(2^53 - 1), else a bigint. */
export function exactInteger(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
