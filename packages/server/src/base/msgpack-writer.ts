import { U64_MAX } from "@millrace/protocol/ids";

const I64_MIN = -(2n ** 63n);
/** The longest head or number. */
const HEAD_BYTES_MAX = 9;

/** Writes MessagePack value by value, each in its smallest encoding. */
export class MsgpackWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param expectedBytes a guess; the buffer grows as needed */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes + HEAD_BYTES_MAX);
  }

  /** What was written, in memory of its own. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  /** The head of a map; its keys and values follow in turn. */
  map(size: number): void {
    if (size <= 0x0f) this.#token(0x80 | size);
    else if (size <= 0xffff) this.#number(0xde, size, 2);
    else this.#number(0xdf, size, 4);
  }

  /** The head of an array; its items follow. */
  array(size: number): void {
    if (size <= 0x0f) this.#token(0x90 | size);
    else if (size <= 0xffff) this.#number(0xdc, size, 2);
    else this.#number(0xdd, size, 4);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    if (length <= 0x1f) this.#token(0xa0 | length);
    else if (length <= 0xff) this.#number(0xd9, length, 1);
    else if (length <= 0xffff) this.#number(0xda, length, 2);
    else this.#number(0xdb, length, 4);
    this.#ensure(length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  float(value: number): void {
    this.#token(0xcb);
    this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  /** Null, a boolean, a text or an integer. An integer beyond 64 bits becomes a double. */
  scalar(value: unknown): void {
    if (typeof value === "string") this.text(value);
    else if (typeof value === "number") this.#integer(value);
    else if (typeof value === "bigint") this.#wideInteger(value);
    else this.#token(value === null ? 0xc0 : value === true ? 0xc3 : 0xc2);
  }

  #integer(value: number): void {
    if (value >= 0) {
      if (value <= 0x7f) this.#token(value);
      else if (value <= 0xff) this.#number(0xcc, value, 1);
      else if (value <= 0xffff) this.#number(0xcd, value, 2);
      else if (value <= 0xffffffff) this.#number(0xce, value, 4);
      else this.#wideInteger(BigInt(value));
    } else if (value >= -0x20) this.#token(value & 0xff);
    else if (value >= -0x80) this.#number(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#number(0xd1, value & 0xffff, 2);
    else if (value >= -0x80000000) this.#number(0xd2, value >>> 0, 4);
    else this.#wideInteger(BigInt(value));
  }

  #wideInteger(value: bigint): void {
    if (value > U64_MAX || value < I64_MIN) {
      this.float(Number(value));
      return;
    }
    this.#token(value >= 0n ? 0xcf : 0xd3);
    this.#at = this.#bytes.writeBigUInt64BE(BigInt.asUintN(64, value), this.#at);
  }

  /** A token and room for what may follow it directly. */
  #token(token: number): void {
    this.#ensure(HEAD_BYTES_MAX);
    this.#bytes[this.#at] = token;
    this.#at += 1;
  }

  #number(token: number, value: number, width: 1 | 2 | 4): void {
    this.#token(token);
    this.#at = this.#bytes.writeUIntBE(value, this.#at, width);
  }

  #ensure(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe((this.#at + bytes) * 2);
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
