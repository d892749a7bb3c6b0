import { parseJson } from "@millrace/protocol/json";
import { JsonCursor } from "./json-scan.ts";

/**
 * The value of a JSON document by the strict rules of {@link JsonCursor}; integers beyond 2^53 - 1 are bigints, everything
 * else is as `JSON.parse` gives it. MALFORMED_BODY.
 */
export function decodeJson(bytes: Uint8Array): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cursor = new JsonCursor(buffer);
  cursor.skip();
  cursor.end();
  return parseJson(buffer.toString("utf8"));
}
