import fc from "fast-check";
import { U64_MAX } from "../src/ids.ts";

/** Any text: every code point but half surrogate pairs, NUL and other controls included. */
const anyText = fc.string({ unit: "binary" });

/** A 64-bit integer in its one form: a number where that is exact, else a bigint. */
const anyInteger = fc
  .bigInt(-(2n ** 63n), U64_MAX)
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));

const anyDouble = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  // As a number these are integers that are not exact, and minus zero has no spelling of its own in JSON.stringify.
  .map((value) => (Number.isInteger(value) && !Number.isSafeInteger(value) ? 1 / value : value + 0));

/** Any value that the wire can hold, with 64-bit integers exact. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    anyInteger,
    anyDouble,
    anyText,
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom("__proto__", "constructor", "10", "2")), tie("value"), {
      maxKeys: 20,
      noNullPrototype: true,
    }),
  ),
})).value;
