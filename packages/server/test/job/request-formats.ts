import { stringifyJson } from "@millrace/protocol/json";
import { encodeMsgpack } from "@millrace/protocol/msgpack";
import type { WireFormat } from "../../src/base/value-cursor.ts";

/** Both formats: what holds for a body in one must hold in the other. */
export const formats = ["json", "msgpack"] as const satisfies readonly WireFormat[];

export function encode(value: unknown, format: WireFormat): Buffer {
  return Buffer.from(format === "json" ? stringifyJson(value) : encodeMsgpack(value));
}
