const SLOT_COUNT = 256;
const CACHED_BYTES_MAX = 64;

/**
 * Texts that come again and again (keys, names of queues and types) as one string each, instead of a new one for every job.
 * A slot remembers the last text that fell into it: no growth, no eviction to think of. Only ASCII is kept, so that bytes
 * and characters can be compared one by one.
 */
export class TextCache {
  readonly #slots: string[] = new Array<string>(SLOT_COUNT).fill("");

  /** The text of the UTF-8 bytes from `start` up to `end`. */
  text(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return "";
    if (length > CACHED_BYTES_MAX) return bytes.toString("utf8", start, end);
    const slot = slotOf(bytes, start, end);
    const known = this.#slots[slot] ?? "";
    if (known.length === length && isSame(known, bytes, start)) return known;
    const text = bytes.toString("utf8", start, end);
    if (text.length === length) this.#slots[slot] = text;
    return text;
  }
}

/** The ends of a text tell most: names are often numbered. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] ?? 0;
  const last = bytes[end - 1] ?? 0;
  const beforeLast = bytes[Math.max(start, end - 2)] ?? 0;
  return (first * 31 + beforeLast * 7 + last + (end - start) * 13) % SLOT_COUNT;
}

function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
}
