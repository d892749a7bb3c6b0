import { parseJson } from "@millrace/protocol/json";
import { compactJson } from "./json-compact.ts";
import { JsonGrammar, refuseJsonNesting } from "./json-grammar.ts";
import { isDigit } from "./json-number.ts";
import { limits } from "./limits.ts";
import { TextCache } from "./text-cache.ts";
import type { CursorMark, ValueCursor } from "./value-cursor.ts";
import { WindowCopy } from "./window-copy.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Digits that always fit a double exactly. */
const SAFE_DIGITS = 15;

// Keys and values apart: unlike values such as ids, keys always come again.
const keyCache = new TextCache();
const valueCache = new TextCache();

export interface JsonCursorOptions {
  /** `keep` hands out half surrogate pairs in strings; for texts that are repaired later. */
  readonly loneSurrogates?: "refuse" | "keep";
}

/** {@link ValueCursor} over JSON; what is legal says `json-grammar.ts`. */
export class JsonCursor implements ValueCursor {
  readonly #bytes: Buffer;
  readonly #grammar: JsonGrammar;
  readonly #copies: WindowCopy;
  #at = 0;
  #depth = 0;
  /** Right behind the opening bracket, where no comma is due. */
  #isFirst = false;

  constructor(bytes: Buffer, options: JsonCursorOptions = {}) {
    this.#bytes = bytes;
    this.#copies = new WindowCopy(bytes);
    this.#grammar = new JsonGrammar(bytes, options.loneSurrogates === "keep");
  }

  enterObject(): boolean {
    return this.#enter(OPEN_OBJECT);
  }

  nextKey(): string | undefined {
    if (!this.#goesOn(CLOSE_OBJECT)) return undefined;
    if (this.#peek() !== QUOTE) this.#grammar.refuse(this.#at);
    const key = this.#text(keyCache);
    if (this.#peek() !== COLON) this.#grammar.refuse(this.#at);
    this.#at += 1;
    return key;
  }

  enterArray(): boolean {
    return this.#enter(OPEN_ARRAY);
  }

  nextItem(): boolean {
    return this.#goesOn(CLOSE_ARRAY);
  }

  value(): unknown {
    const first = this.#peek();
    if (first === QUOTE) return this.#text(valueCache);
    const start = this.#at;
    const end = this.#grammar.passValue(start, this.#depth);
    this.#at = end;
    return this.#shortInteger(start, end) ?? parseJson(this.#bytes.toString("utf8", start, end));
  }

  /** Whether a number comes next that is no integer: it has a fraction or an exponent, or is minus zero. */
  nextIsFloat(): boolean {
    const first = this.#peek();
    if (first !== MINUS && !isDigit(first)) return false;
    const start = this.#at;
    const end = this.#grammar.passScalar(start);
    return !/^-?[1-9]\d*$|^0$/.test(this.#bytes.toString("latin1", start, end));
  }

  skip(): void {
    this.#at = this.#grammar.passValue(this.#grammar.passSpace(this.#at), this.#depth);
  }

  copy(): Buffer {
    const start = this.#grammar.passSpace(this.#at);
    this.#grammar.sawLineBreak = false;
    const end = this.#grammar.passValue(start, this.#depth);
    this.#at = end;
    return this.#grammar.sawLineBreak ? compactJson(this.#bytes.subarray(start, end)) : this.#copies.run(start, end);
  }

  mark(): CursorMark {
    return { at: this.#at, depth: this.#depth };
  }

  rewind(mark: CursorMark): void {
    this.#at = mark.at;
    this.#depth = mark.depth;
    this.#isFirst = false;
  }

  end(): void {
    if (this.#peek() !== undefined) this.#grammar.refuse(this.#at);
  }

  #enter(bracket: number): boolean {
    if (this.#peek() !== bracket) return false;
    this.#depth += 1;
    if (this.#depth > limits.nestingMax) refuseJsonNesting();
    this.#at += 1;
    this.#isFirst = true;
    return true;
  }

  #goesOn(bracket: number): boolean {
    const next = this.#peek();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (next === bracket) {
      this.#at += 1;
      this.#depth -= 1;
      return false;
    }
    if (isFirst) return true;
    if (next !== COMMA) this.#grammar.refuse(this.#at);
    this.#at += 1;
    return true;
  }

  #text(cache: TextCache): string {
    const start = this.#at;
    this.#grammar.sawEscape = false;
    this.#at = this.#grammar.passString(start);
    if (this.#grammar.sawEscape) return JSON.parse(this.#bytes.toString("utf8", start, this.#at)) as string;
    return cache.text(this.#bytes, start + 1, this.#at - 1);
  }

  #shortInteger(start: number, end: number): number | undefined {
    if (end - start > SAFE_DIGITS) return undefined;
    let value = 0;
    for (let at = start; at < end; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (!isDigit(byte)) return undefined;
      value = value * 10 + byte - ZERO;
    }
    return value;
  }

  /** The byte that comes next, white space aside; undefined at the end. */
  #peek(): number | undefined {
    this.#at = this.#grammar.passSpace(this.#at);
    return this.#bytes[this.#at];
  }
}
