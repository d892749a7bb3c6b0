const WINDOW_BYTES = 16 * 1024;

/**
 * Copies of many short runs of a buffer, made in few large steps: the window around a run is copied once, and the runs in it
 * are views of that copy. So a run that is kept keeps at most a window alive, never the whole buffer, and costs one view
 * instead of a view, an allocation and a copy.
 */
export class WindowCopy {
  readonly #bytes: Buffer;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A copy of the bytes from `start` up to `end`. Cheapest in rising order. */
  run(start: number, end: number): Buffer {
    if (end - start > WINDOW_BYTES) return Buffer.from(this.#bytes.subarray(start, end));
    if (start < this.#start || end > this.#start + this.#window.length) {
      this.#window = Buffer.from(this.#bytes.subarray(start, start + WINDOW_BYTES));
      this.#start = start;
    }
    return this.#window.subarray(start - this.#start, end - this.#start);
  }
}
