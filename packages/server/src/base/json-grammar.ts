/**
 * The grammar of JSON over bytes, strictly: exactly the bytes of UTF-8 that `JSON.parse` accepts, with two exceptions of the
 * contract: nesting above `nestingMax`, and half a surrogate pair written as an escape, which no UTF-8 can carry on.
 *
 * Payloads are only passed over, never parsed, so the inner loops here decide how many jobs a second can be accepted. UTF-8
 * is checked once for the whole document, natively; after that every byte above 0x7f is just part of a string.
 */
import { isUtf8 } from "node:buffer";
import { QueueError } from "@millrace/protocol/errors";
import { passNumber } from "./json-number.ts";
import { limits } from "./limits.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const NOT_HEX = 255;

const ascii = new TextEncoder();

/** The three words by their first byte. */
const spellings: ReadonlyMap<number | undefined, Uint8Array> = new Map(
  ["true", "false", "null"].map((word) => [word.charCodeAt(0), ascii.encode(word)]),
);
/** 1 for the bytes that mean only themselves inside a string. */
const isPlain = new Uint8Array(256).fill(1, SPACE);
isPlain[QUOTE] = 0;
isPlain[BACKSLASH] = 0;
/** 1 for what may follow a backslash and is one character. */
const isShortEscape = new Uint8Array(256);
for (const byte of ascii.encode('"\\/bfnrt')) isShortEscape[byte] = 1;
const hexValues = new Uint8Array(256).fill(NOT_HEX);
for (const [value, byte] of ascii.encode("0123456789abcdef").entries()) hexValues[byte] = value;
for (const [value, byte] of ascii.encode("ABCDEF").entries()) hexValues[byte] = value + 10;

/** Each `pass…` method passes what begins at a place and returns the place behind it, or refuses with MALFORMED_BODY. */
export class JsonGrammar {
  readonly #bytes: Buffer;
  readonly #keepsLoneSurrogates: boolean;
  /** A string held a backslash since this was last set to false. */
  sawEscape = false;
  /** White space held CR or LF since this was last set to false. */
  sawLineBreak = false;

  constructor(bytes: Buffer, keepsLoneSurrogates: boolean) {
    if (!isUtf8(bytes)) throw new QueueError("MALFORMED_BODY", "not JSON: the bytes are not UTF-8");
    this.#bytes = bytes;
    this.#keepsLoneSurrogates = keepsLoneSurrogates;
  }

  passValue(at: number, depth: number): number {
    switch (this.#bytes[at]) {
      case QUOTE:
        return this.passString(at);
      case OPEN_OBJECT:
        return this.#passObject(at, depth + 1);
      case OPEN_ARRAY:
        return this.#passArray(at, depth + 1);
      default:
        return this.passScalar(at);
    }
  }

  #passObject(start: number, depth: number): number {
    if (depth > limits.nestingMax) refuseJsonNesting();
    const bytes = this.#bytes;
    let at = this.passSpace(start + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) this.refuse(at);
      at = this.passSpace(this.passString(at));
      if (bytes[at] !== COLON) this.refuse(at);
      at = this.passSpace(this.passValue(this.passSpace(at + 1), depth));
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) this.refuse(at);
      at = this.passSpace(at + 1);
    }
  }

  #passArray(start: number, depth: number): number {
    if (depth > limits.nestingMax) refuseJsonNesting();
    const bytes = this.#bytes;
    let at = this.passSpace(start + 1);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = this.passSpace(this.passValue(at, depth));
      if (bytes[at] === CLOSE_ARRAY) return at + 1;
      if (bytes[at] !== COMMA) this.refuse(at);
      at = this.passSpace(at + 1);
    }
  }

  passString(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    for (;;) {
      // The end of the bytes reads as NUL, which is not plain.
      while (isPlain[bytes[at] ?? 0] === 1) at += 1;
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) this.refuse(at);
      at = this.#passEscape(at);
    }
  }

  #passEscape(at: number): number {
    this.sawEscape = true;
    const escaped = this.#bytes[at + 1] ?? 0;
    if (isShortEscape[escaped] === 1) return at + 2;
    if (escaped !== LOWER_U) this.refuse(at + 1);
    const unit = this.#hexAt(at + 2);
    if (this.#keepsLoneSurrogates || unit < 0xd800 || unit > 0xdfff) return at + 6;
    const isPair = unit < 0xdc00 && this.#bytes[at + 6] === BACKSLASH && this.#bytes[at + 7] === LOWER_U;
    const second = isPair ? this.#hexAt(at + 8) : 0;
    if (second >= 0xdc00 && second <= 0xdfff) return at + 12;
    throw new QueueError("MALFORMED_BODY", `JSON holds half a surrogate pair at byte ${at}`);
  }

  passScalar(at: number): number {
    const bytes = this.#bytes;
    const number = passNumber(bytes, at);
    if (number !== undefined) return number;
    const spelling = spellings.get(bytes[at]) ?? this.refuse(at);
    for (let i = 1; i < spelling.length; i += 1) {
      if (bytes[at + i] !== spelling[i]) this.refuse(at + i);
    }
    return at + spelling.length;
  }

  passSpace(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    for (;;) {
      const byte = bytes[at];
      if (byte === LF || byte === CR) this.sawLineBreak = true;
      else if (byte !== SPACE && byte !== TAB) return at;
      at += 1;
    }
  }

  #hexAt(at: number): number {
    let value = 0;
    for (let i = at; i < at + 4; i += 1) {
      const digit = hexValues[this.#bytes[i] ?? 0] ?? NOT_HEX;
      if (digit === NOT_HEX) this.refuse(i);
      value = value * 16 + digit;
    }
    return value;
  }

  refuse(at: number): never {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new QueueError("MALFORMED_BODY", "not JSON: the text ends too early");
    const shown =
      byte > SPACE && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `0x${byte.toString(16).padStart(2, "0")}`;
    throw new QueueError("MALFORMED_BODY", `not JSON: unexpected ${shown} at byte ${at}`);
  }
}

export function refuseJsonNesting(): never {
  throw new QueueError("MALFORMED_BODY", `JSON nests deeper than ${limits.nestingMax} levels`);
}
