/** Things by small numbers, so that a row can name one in a word. The number of one that left is given to the next. */
export class Numbered<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #vacant: number[] = [];

  /** Things that are here. */
  get size(): number {
    return this.#items.length - this.#vacant.length;
  }

  /** No number from here on was ever given. */
  get end(): number {
    return this.#items.length;
  }

  get(number: number): T | undefined {
    return this.#items[number];
  }

  /** The number that the next {@link add} gives. */
  get next(): number {
    return this.#vacant.at(-1) ?? this.#items.length;
  }

  add(item: T): number {
    const number = this.#vacant.pop() ?? this.#items.length;
    this.#items[number] = item;
    return number;
  }

  remove(number: number): void {
    this.#items[number] = undefined;
    this.#vacant.push(number);
  }
}
