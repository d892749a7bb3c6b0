const ELLIPSIS = "…";
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS);

/**
 * A text as it can be stored: half surrogate pairs replaced by U+FFFD, and cut at a character to at most `bytesMax` bytes of
 * UTF-8, of which the last are then "…".
 */
export function cutText(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return bytes.toString();
  let end = bytesMax - ELLIPSIS_BYTES;
  // Back to the beginning of the character that the bound would cut: bytes within one are 10xxxxxx.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end) + ELLIPSIS;
}
