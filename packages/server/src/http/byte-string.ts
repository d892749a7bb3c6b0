/**
 * A **byte string** holds one byte per character (0 to 255). Replies and take messages are put together from such strings:
 * concatenation is the fastest builder there is, lengths are byte lengths, and `latin1` writes them out with a plain copy,
 * also MessagePack. Text that may hold more than ASCII goes through {@link utf8Bytes} first.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII is.
const ASCII = /^[\x00-\x7f]*$/;

/** Text as the byte string of its UTF-8 form. */
export function utf8Bytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** A longer name is made anew each time. */
const CACHED_LENGTH_MAX = 256;

/**
 * Remembers what was made of the few names that repeat from job to job. Bounded: when full it forgets everything, which costs a
 * server with more names than that no more than having no memory.
 */
export class NameCache {
  readonly #made = new Map<string, string>();
  readonly #make: (name: string) => string;
  readonly #entriesMax: number;

  constructor(make: (name: string) => string, entriesMax = 4096) {
    this.#make = make;
    this.#entriesMax = entriesMax;
  }

  get(name: string): string {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    if (name.length > CACHED_LENGTH_MAX) return this.#make(name);
    if (this.#made.size >= this.#entriesMax) this.#made.clear();
    const made = this.#make(name);
    this.#made.set(name, made);
    return made;
  }
}

/** Puts byte strings and buffers together into one buffer, with one copy of each. */
export class BytesBuilder {
  #buffer: Buffer;
  #length = 0;
  #pending = "";

  /** @param sizeGuess bytes; a low guess costs copies, a high one memory for as long as the result lives */
  constructor(sizeGuess: number) {
    this.#buffer = Buffer.allocUnsafe(sizeGuess);
  }

  text(byteString: string): void {
    this.#pending += byteString;
  }

  bytes(bytes: Buffer): void {
    this.#flush(bytes.length);
    this.#length += bytes.copy(this.#buffer, this.#length);
  }

  /** Ends the builder. */
  finish(): Buffer {
    this.#flush(0);
    return this.#buffer.subarray(0, this.#length);
  }

  #flush(roomAfter: number): void {
    const needed = this.#length + this.#pending.length + roomAfter;
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    if (this.#pending === "") return;
    this.#length += this.#buffer.write(this.#pending, this.#length, "latin1");
    this.#pending = "";
  }
}
