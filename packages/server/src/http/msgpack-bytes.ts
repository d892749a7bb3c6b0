/** The pieces of MessagePack that jobs are made of, as byte strings (`byte-string.ts`), each in its smallest encoding. */
import type { U64 } from "@millrace/protocol/ids";
import { utf8Bytes } from "./byte-string.ts";

const scratch = Buffer.alloc(9);

export function packMapHead(members: number): string {
  return members < 16 ? String.fromCharCode(0x80 | members) : `\xde${u16(members)}`;
}

export function packArrayHead(items: number): string {
  if (items < 16) return String.fromCharCode(0x90 | items);
  return items < 0x10000 ? `\xdc${u16(items)}` : `\xdd${u32(items)}`;
}

export function packString(text: string): string {
  const bytes = utf8Bytes(text);
  const { length } = bytes;
  if (length < 32) return String.fromCharCode(0xa0 | length) + bytes;
  if (length < 0x100) return `\xd9${String.fromCharCode(length)}${bytes}`;
  return (length < 0x10000 ? `\xda${u16(length)}` : `\xdb${u32(length)}`) + bytes;
}

/** An unsigned integer. */
export function packUint(value: U64): string {
  if (typeof value === "bigint") {
    scratch[0] = 0xcf;
    scratch.writeBigUInt64BE(value, 1);
    return scratch.toString("latin1", 0, 9);
  }
  if (value < 0x80) return String.fromCharCode(value);
  if (value < 0x100) return String.fromCharCode(0xcc, value);
  if (value < 0x10000) return `\xcd${u16(value)}`;
  if (value < 0x100000000) return `\xce${u32(value)}`;
  return `\xcf${u32(Math.floor(value / 0x100000000))}${u32(value % 0x100000000)}`;
}

export function packFloat32(value: number): string {
  scratch[0] = 0xca;
  scratch.writeFloatBE(value, 1);
  return scratch.toString("latin1", 0, 5);
}

/** Big-endian. */
export function u32(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function u16(value: number): string {
  return String.fromCharCode(value >>> 8, value & 0xff);
}
