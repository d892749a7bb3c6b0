/** Ways through a body that judge its fields only when all of it was seen. */
import { QueueError } from "@millrace/protocol/errors";
import type { ValueCursor } from "../base/value-cursor.ts";
import { optionalObject, refuse } from "./field-checks.ts";

/** Calls `read` before the value of each member of the body, which it must pass. INVALID_FIELD when the body is no object. */
export function readBody(cursor: ValueCursor, read: (key: string) => void): void {
  if (!cursor.enterObject()) {
    cursor.skip();
    cursor.end();
    refuse("INVALID_FIELD", undefined, "", "must be an object");
  }
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) read(key);
  cursor.end();
}

/** The whole body as an object, for bodies that are small or rare. INVALID_FIELD when it is none. */
export function decodeBody(cursor: ValueCursor): Readonly<Record<string, unknown>> {
  const body = cursor.value();
  cursor.end();
  return optionalObject(body, undefined, "") ?? refuse("INVALID_FIELD", undefined, "", "must be an object");
}

/**
 * Reads the next value so that a refusal can wait until the whole body was seen: bytes that are malformed further on count
 * more than a wrong field, and of a repeated key the last one counts, which may be right.
 */
export function outcomeOf<Result>(cursor: ValueCursor, read: () => Result): Result | QueueError {
  const start = cursor.mark();
  try {
    return read();
  } catch (error) {
    if (!(error instanceof QueueError) || error.code === "MALFORMED_BODY") throw error;
    cursor.rewind(start);
    cursor.skip();
    return error;
  }
}

/** What {@link outcomeOf} read; throws what it refused. */
export function resultOf<Result>(outcome: Result | QueueError): Result {
  if (outcome instanceof QueueError) throw outcome;
  return outcome;
}
