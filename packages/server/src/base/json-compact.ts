const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * A copy of a JSON value without white space outside strings: one line, as the framings of the take stream need it. The bytes
 * must be valid JSON; only then is every byte up to 0x20 outside a string white space, and none inside.
 */
export function compactJson(bytes: Uint8Array): Buffer {
  const compact = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE && !inString) continue;
    compact[length] = byte;
    length += 1;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) {
      at += 1;
      compact[length] = bytes[at] ?? 0;
      length += 1;
    }
  }
  // Its own memory: what was removed must not be kept alive.
  return Buffer.from(compact.subarray(0, length));
}
