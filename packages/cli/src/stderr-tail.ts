/** The last bytes of a stream whose length nobody knows. */
export class StderrTail {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Joined only now and then, so that many small pieces cost no more than a few large ones.
    if (this.#bytes > 2 * this.#bytesMax) this.#join();
  }

  /** As text without white space at its ends; `…` in front where something is missing. */
  text(): string {
    const bytes = this.#join();
    let start = 0;
    // A cut may have gone through a character: its rest is left out.
    while (this.#cut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    const text = bytes.toString("utf8", start).trim();
    return this.#cut && text !== "" ? `…${text}` : text;
  }

  #join(): Buffer {
    const all = Buffer.concat(this.#chunks);
    const kept = all.subarray(Math.max(0, all.length - this.#bytesMax));
    if (kept.length < all.length) this.#cut = true;
    // A copy: the rest of what was read must not be kept alive by its tail.
    this.#chunks = [Buffer.from(kept)];
    this.#bytes = kept.length;
    return kept;
  }
}
