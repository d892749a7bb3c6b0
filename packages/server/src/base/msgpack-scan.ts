/**
 * A strict scanner of MessagePack bytes that hold what JSON can hold: no bin, no ext, no NaN or infinity, keys are strings,
 * strings are UTF-8, nesting up to `nestingMax`. Payloads are only passed over, never decoded.
 */
import { isUtf8 } from "node:buffer";
import { QueueError } from "@millrace/protocol/errors";
import { exactInteger } from "@millrace/protocol/exact-integer";
import { decodeMsgpack } from "@millrace/protocol/msgpack";
import { limits } from "./limits.ts";
import { headBytes, kindOf, MsgpackKind } from "./msgpack-token.ts";
import { TextCache } from "./text-cache.ts";
import type { CursorMark, ValueCursor } from "./value-cursor.ts";
import { WindowCopy } from "./window-copy.ts";

/** Strings up to here are looked at byte by byte: a native call would cost more. */
const SHORT_TEXT_BYTES = 64;

const keyCache = new TextCache();
const valueCache = new TextCache();

/** See {@link ValueCursor}. */
export class MsgpackCursor implements ValueCursor {
  readonly #bytes: Buffer;
  readonly #copies: WindowCopy;
  #at = 0;
  /** For each array or object that was entered: the items or members still to come. */
  readonly #left: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#copies = new WindowCopy(bytes);
  }

  enterObject(): boolean {
    return this.#enter(MsgpackKind.map);
  }

  nextKey(): string | undefined {
    if (!this.nextItem()) return undefined;
    this.#checkKey(this.#at);
    return this.#text(keyCache);
  }

  enterArray(): boolean {
    return this.#enter(MsgpackKind.array);
  }

  nextItem(): boolean {
    const left = this.#left.pop() ?? 0;
    if (left === 0) return false;
    this.#left.push(left - 1);
    return true;
  }

  value(): unknown {
    const start = this.#at;
    switch (kindOf[this.#bytes[start] ?? 0]) {
      case MsgpackKind.text:
        return this.#text(valueCache);
      case MsgpackKind.integer:
        this.skip();
        return this.#integer(start);
      default:
        this.skip();
        return decodeMsgpack(this.#bytes.subarray(start, this.#at));
    }
  }

  /** Whether a float comes next, be its value whole or not. */
  nextIsFloat(): boolean {
    return kindOf[this.#bytes[this.#at] ?? 0] === MsgpackKind.float;
  }

  skip(): void {
    this.#at = this.#passValue(this.#at, this.#left.length);
  }

  copy(): Buffer {
    const start = this.#at;
    this.skip();
    return this.#copies.run(start, this.#at);
  }

  mark(): CursorMark {
    return { at: this.#at, depth: this.#left.length };
  }

  rewind(mark: CursorMark): void {
    this.#at = mark.at;
    this.#left.length = mark.depth;
  }

  end(): void {
    if (this.#at < this.#bytes.length) {
      throw new QueueError("MALFORMED_BODY", `not MessagePack: more bytes follow the value, from byte ${this.#at}`);
    }
  }

  #enter(kind: number): boolean {
    const token = this.#bytes[this.#at] ?? refuseEnd();
    if (kindOf[token] !== kind) return false;
    this.#left.push(this.#countAt(this.#at));
    if (this.#left.length > limits.nestingMax) refuseNesting();
    this.#at += headBytes[token] ?? 0;
    return true;
  }

  #text(cache: TextCache): string {
    const start = this.#at;
    this.skip();
    return cache.text(this.#bytes, start + (headBytes[this.#bytes[start] ?? 0] ?? 0), this.#at);
  }

  #integer(at: number): number | bigint {
    const bytes = this.#bytes;
    const token = bytes[at] ?? 0;
    switch (token) {
      case 0xcc:
        return bytes.readUInt8(at + 1);
      case 0xcd:
        return bytes.readUInt16BE(at + 1);
      case 0xce:
        return bytes.readUInt32BE(at + 1);
      case 0xcf:
        return exactInteger(bytes.readBigUInt64BE(at + 1));
      case 0xd0:
        return bytes.readInt8(at + 1);
      case 0xd1:
        return bytes.readInt16BE(at + 1);
      case 0xd2:
        return bytes.readInt32BE(at + 1);
      case 0xd3:
        return exactInteger(bytes.readBigInt64BE(at + 1));
      default:
        return token < 0x80 ? token : token - 0x100;
    }
  }

  // Each of the following passes what begins at a place and returns the place behind it.

  #passValue(at: number, depth: number): number {
    const token = this.#bytes[at] ?? refuseEnd();
    const body = at + (headBytes[token] ?? 0);
    if (body > this.#bytes.length) refuseEnd();
    switch (kindOf[token]) {
      case MsgpackKind.integer:
      case MsgpackKind.word:
        return body;
      case MsgpackKind.text:
        return this.#passText(body, this.#countAt(at));
      case MsgpackKind.map:
        return this.#passMembers(body, this.#countAt(at), depth + 1);
      case MsgpackKind.array:
        return this.#passItems(body, this.#countAt(at), depth + 1);
      case MsgpackKind.float:
        this.#checkFinite(at, token);
        return body;
      default:
        return refuseToken(token, at);
    }
  }

  #passMembers(start: number, count: number, depth: number): number {
    if (depth > limits.nestingMax) refuseNesting();
    let at = start;
    for (let left = count; left > 0; left -= 1) {
      this.#checkKey(at);
      at = this.#passValue(this.#passValue(at, depth), depth);
    }
    return at;
  }

  #passItems(start: number, count: number, depth: number): number {
    if (depth > limits.nestingMax) refuseNesting();
    let at = start;
    for (let left = count; left > 0; left -= 1) at = this.#passValue(at, depth);
    return at;
  }

  #passText(start: number, length: number): number {
    const bytes = this.#bytes;
    const end = start + length;
    if (end > bytes.length) refuseEnd();
    let at = start;
    if (length <= SHORT_TEXT_BYTES) while (at < end && (bytes[at] ?? 0) < 0x80) at += 1;
    if (at < end && !isUtf8(bytes.subarray(start, end))) {
      throw new QueueError("MALFORMED_BODY", `not MessagePack: the string at byte ${start} is not UTF-8`);
    }
    return end;
  }

  /** The length of a text, or the number of items or members, that the head at a place announces. */
  #countAt(at: number): number {
    const bytes = this.#bytes;
    const token = bytes[at] ?? 0;
    const head = headBytes[token] ?? 0;
    if (head === 1) return kindOf[token] === MsgpackKind.text ? token & 0x1f : token & 0x0f;
    if (at + head > bytes.length) refuseEnd();
    return head === 2 ? bytes.readUInt8(at + 1) : head === 3 ? bytes.readUInt16BE(at + 1) : bytes.readUInt32BE(at + 1);
  }

  #checkKey(at: number): void {
    if (kindOf[this.#bytes[at] ?? refuseEnd()] === MsgpackKind.text) return;
    throw new QueueError("MALFORMED_BODY", `MessagePack holds a key that is not a string, at byte ${at}`);
  }

  #checkFinite(at: number, token: number): void {
    const value = token === 0xca ? this.#bytes.readFloatBE(at + 1) : this.#bytes.readDoubleBE(at + 1);
    if (!Number.isFinite(value)) {
      throw new QueueError("MALFORMED_BODY", `MessagePack holds ${value} at byte ${at}, which JSON cannot`);
    }
  }
}

function refuseEnd(): never {
  throw new QueueError("MALFORMED_BODY", "not MessagePack: the bytes end too early");
}

function refuseNesting(): never {
  throw new QueueError("MALFORMED_BODY", `MessagePack nests deeper than ${limits.nestingMax} levels`);
}

function refuseToken(token: number, at: number): never {
  const name = token === 0xc1 ? "the byte 0xc1, which means nothing" : "a bin or ext value, which JSON cannot hold";
  throw new QueueError("MALFORMED_BODY", `MessagePack holds ${name}, at byte ${at}`);
}
