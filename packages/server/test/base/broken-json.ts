import fc from "fast-check";

/** Pieces that turn valid JSON into something else, or into other valid JSON. */
const pieces = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "-",
  "+",
  ".",
  "0",
  "1",
  "9",
  "e",
  "E5",
  "e+",
  "true",
  "tru",
  "null",
  "nul",
  "false",
  " ",
  "\t",
  "\n",
  "\r",
  "\f",
  "\u00a0",
  "\ufeff",
  "\u2028",
  "é",
  "😀",
  "\u0000",
  "\u001f",
  "\u007f",
  "/",
  "//",
  "'",
  "NaN",
  "Infinity",
  "\\u00e9",
  "\\uD83D\\uDE00",
  "\\ud83d",
  "\\ude00",
  "\\u12",
  "\\u12G4",
  "\\n",
  "\\x",
  "\\/",
  "\\b",
  '\\"',
  "0x1",
  "01",
  "1.",
  ".5",
  "-0",
];

interface Mutation {
  readonly place: number;
  readonly removed: number;
  readonly inserted: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  removed: fc.constantFrom(0, 0, 1, 2),
  inserted: fc.oneof(fc.constant(""), fc.constantFrom(...pieces)),
});

/** A valid document, indented or not, with a few small changes. Often still valid. */
export const nearlyJson: fc.Arbitrary<string> = fc
  .tuple(
    fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
    fc.constantFrom(undefined, 1, "\t"),
    fc.array(mutation, { maxLength: 3 }),
  )
  .map(([value, indent, mutations]) =>
    mutations.reduce(
      (text, { place, removed, inserted }) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + inserted + text.slice(at + removed);
      },
      JSON.stringify(value, null, indent),
    ),
  );

/** Whether a valid JSON text spells half a surrogate pair with escapes. */
export function hasLoneSurrogateEscape(json: string): boolean {
  const strings = json.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  return strings.some((token) => /\p{Surrogate}/u.test(JSON.parse(token) as string));
}
