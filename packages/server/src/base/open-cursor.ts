import { JsonCursor, type JsonCursorOptions } from "./json-scan.ts";
import { MsgpackCursor } from "./msgpack-scan.ts";
import type { ValueCursor, WireFormat } from "./value-cursor.ts";

/** A cursor before the one value of a document. MALFORMED_BODY when the bytes cannot be of the format. */
export function openCursor(bytes: Buffer, format: WireFormat, options?: JsonCursorOptions): ValueCursor {
  return format === "json" ? new JsonCursor(bytes, options) : new MsgpackCursor(bytes);
}
