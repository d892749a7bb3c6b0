/**
 * The first byte of every MessagePack value, as two tables: what kind of value follows, and how many bytes its head has (for
 * numbers and words that is all of it; a text's, array's or map's length is part of the head).
 */

/** Kinds that JSON knows; `refused` are bin, ext and the byte that means nothing. */
export const MsgpackKind = { refused: 0, integer: 1, float: 2, word: 3, text: 4, array: 5, map: 6 } as const;

export const kindOf = new Uint8Array(256);
export const headBytes = new Uint8Array(256).fill(1);

function define(first: number, last: number, kind: number, bytes = 1): void {
  kindOf.fill(kind, first, last + 1);
  headBytes.fill(bytes, first, last + 1);
}

define(0x00, 0x7f, MsgpackKind.integer);
define(0x80, 0x8f, MsgpackKind.map);
define(0x90, 0x9f, MsgpackKind.array);
define(0xa0, 0xbf, MsgpackKind.text);
// nil, false, true; 0xc1 between them is refused.
define(0xc0, 0xc0, MsgpackKind.word);
define(0xc2, 0xc3, MsgpackKind.word);
define(0xca, 0xca, MsgpackKind.float, 5);
define(0xcb, 0xcb, MsgpackKind.float, 9);
for (const [power, width] of [1, 2, 4, 8].entries()) {
  define(0xcc + power, 0xcc + power, MsgpackKind.integer, 1 + width);
  define(0xd0 + power, 0xd0 + power, MsgpackKind.integer, 1 + width);
}
for (const [power, width] of [1, 2, 4].entries()) define(0xd9 + power, 0xd9 + power, MsgpackKind.text, 1 + width);
for (const [power, width] of [2, 4].entries()) {
  define(0xdc + power, 0xdc + power, MsgpackKind.array, 1 + width);
  define(0xde + power, 0xde + power, MsgpackKind.map, 1 + width);
}
define(0xe0, 0xff, MsgpackKind.integer);
