const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** The place behind the JSON number that begins at `start`; undefined when none does. */
export function passNumber(bytes: Uint8Array, start: number): number | undefined {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const first = bytes[at];
  if (!isDigit(first)) return undefined;
  at = first === ZERO ? at + 1 : passDigits(bytes, at);
  if (bytes[at] === POINT) {
    if (!isDigit(bytes[at + 1])) return undefined;
    at = passDigits(bytes, at + 1);
  }
  if (bytes[at] === LOWER_E || bytes[at] === UPPER_E) {
    const sign = bytes[at + 1];
    at += sign === PLUS || sign === MINUS ? 2 : 1;
    if (!isDigit(bytes[at])) return undefined;
    at = passDigits(bytes, at);
  }
  return at;
}

function passDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  return at;
}
