/** The two formats of bodies and payloads. */
export type WireFormat = "json" | "msgpack";

/**
 * Walks over the bytes of one document, value by value, and builds only what it is asked for. What it has passed is checked in
 * full: grammar, UTF-8, nesting. Every method refuses bytes that are not of the format with MALFORMED_BODY.
 *
 *   if (cursor.enterObject()) for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) cursor.skip();
 *   cursor.end();
 */
export interface ValueCursor {
  /** Enters the object that comes next. False when the next value is none; it is then still the next value. */
  enterObject(): boolean;
  /** The key of the next member, whose value comes next; undefined when the object is over and left. */
  nextKey(): string | undefined;
  /** Enters the array that comes next. False when the next value is none; it is then still the next value. */
  enterArray(): boolean;
  /** Whether an item comes next; false when the array is over and left. */
  nextItem(): boolean;
  /** The next value, as `parseJson` would give it. */
  value(): unknown;
  /** Passes the next value. */
  skip(): void;
  /**
   * Passes the next value and returns a copy of its bytes, which may share some kilobytes of memory with its neighbours. JSON
   * has no line breaks outside strings then.
   */
  copy(): Buffer;
  /** A place to come back to. */
  mark(): CursorMark;
  /** Back to a place, whatever was entered since. */
  rewind(mark: CursorMark): void;
  /** States that the document is over. */
  end(): void;
}

/** Where a cursor stands: at a byte, within so many arrays and objects. */
export interface CursorMark {
  readonly at: number;
  readonly depth: number;
}
