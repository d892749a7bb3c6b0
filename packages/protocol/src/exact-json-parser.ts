import { QueueError } from "./errors.ts";

/** More arrays and objects within each other than any reply holds: payloads may nest 512 deep, replies add a few. */
const NESTING_MAX = 1000;
/** Reading an integer costs the square of its length; beyond this it is read as `JSON.parse` does. */
const BIGINT_DIGITS_MAX = 1000;

// Sticky, so that each starts exactly where the parser stands.
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** What a string may not hold as it is, or must be unescaped for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not hold them.
const NOT_PLAIN = /[\\\u0000-\u001f]/;
const WORDS: Readonly<Record<string, readonly [word: string, value: unknown]>> = {
  t: ["true", true],
  f: ["false", false],
  n: ["null", null],
};

/** Reads what `JSON.parse` reads, with integers beyond 2^53 - 1 as bigints. One use, one text. */
export class ExactJsonParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The one value of the whole text. MALFORMED_BODY when the text is not JSON. */
  document(): unknown {
    const value = this.#value(0);
    if (this.#peek() !== "") this.#refuse();
    return value;
  }

  #value(depth: number): unknown {
    const first = this.#peek();
    switch (first) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case "t":
      case "f":
      case "n":
        return this.#word(first);
      default:
        return this.#number();
    }
  }

  #object(depth: number): Record<string, unknown> {
    this.#enter(depth);
    const object: Record<string, unknown> = {};
    if (this.#skips("}")) return object;
    do {
      if (this.#peek() !== '"') this.#refuse();
      const key = this.#string();
      if (!this.#skips(":")) this.#refuse();
      setMember(object, key, this.#value(depth));
    } while (this.#skips(","));
    if (!this.#skips("}")) this.#refuse();
    return object;
  }

  #array(depth: number): unknown[] {
    this.#enter(depth);
    const array: unknown[] = [];
    if (this.#skips("]")) return array;
    do array.push(this.#value(depth));
    while (this.#skips(","));
    if (!this.#skips("]")) this.#refuse();
    return array;
  }

  #string(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    while (end !== -1 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (end === -1) throw new QueueError("MALFORMED_BODY", "not JSON: a string has no end");
    this.#at = end + 1;
    const inner = this.#text.slice(start + 1, end);
    return NOT_PLAIN.test(inner) ? (JSON.parse(`"${inner}"`) as string) : inner;
  }

  /** Whether an odd number of backslashes stands before a place. */
  #isEscaped(place: number): boolean {
    let first = place;
    while (this.#text.charAt(first - 1) === "\\") first -= 1;
    return (place - first) % 2 === 1;
  }

  #number(): number | bigint {
    const [token, fraction, exponent] = this.#match(NUMBER);
    const value = Number(token);
    const isExact = fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value);
    return isExact || token.length > BIGINT_DIGITS_MAX ? value : BigInt(token);
  }

  #word(first: string): unknown {
    const [word, value] = WORDS[first] ?? ["", undefined];
    if (!this.#text.startsWith(word, this.#at)) this.#refuse();
    this.#at += word.length;
    return value;
  }

  #enter(depth: number): void {
    if (depth > NESTING_MAX) throw new QueueError("MALFORMED_BODY", `JSON nests deeper than ${NESTING_MAX} levels`);
    this.#at += 1;
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return this.#refuse();
    this.#at += found[0].length;
    return found;
  }

  /** The next character that is no white space; "" at the end. */
  #peek(): string {
    this.#match(SPACE);
    return this.#text.charAt(this.#at);
  }

  #skips(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #refuse(): never {
    const found = this.#text.slice(this.#at, this.#at + 1);
    const what = found === "" ? "the text ends too early" : `unexpected ${JSON.stringify(found)} at ${this.#at}`;
    throw new QueueError("MALFORMED_BODY", `not JSON: ${what}`);
  }
}

/** Sets an own member, also `__proto__`, which an assignment would take for the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
