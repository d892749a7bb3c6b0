import type { QueueError } from "@millrace/protocol/errors";
import { encodeMsgpack } from "@millrace/protocol/msgpack";
import { utf8Bytes } from "./byte-string.ts";
import type { Exchange, ReplyBody } from "./exchange.ts";
import { contentTypes, type WireFormat } from "./negotiate.ts";

/** Replies with bytes that are already in the format. */
export function replyBytes(exchange: Exchange, format: WireFormat, status: number, body: ReplyBody): void {
  exchange.reply(status, contentTypes[format], body);
}

/** Replies with a small value. Jobs and their lists come from `job-encoder.ts` instead. */
export function replyValue(exchange: Exchange, format: WireFormat, status: number, value: object): void {
  exchange.reply(status, contentTypes[format], encodeValue(format, value));
}

/** 204: no body, no Content-Type, nothing. */
export function replyNothing(exchange: Exchange): void {
  exchange.reply(204, undefined);
}

/** 405 has an empty body and names the methods that the path has. */
export function replyMethodNotAllowed(exchange: Exchange, allow: string): void {
  exchange.reply(405, undefined, undefined, { name: "Allow", value: allow });
}

/** `{error, code, …}` with the status of the code. */
export function replyError(exchange: Exchange, format: WireFormat, error: QueueError): void {
  replyValue(exchange, format, error.status, error.toBody());
}

/** An error that precedes every negotiation, or is always JSON. */
export function replyRefusal(exchange: Exchange, error: QueueError): void {
  replyError(exchange, "json", error);
}

/** A small value as a byte string. It holds no integers beyond 2^53 - 1; only jobs do. */
export function encodeValue(format: WireFormat, value: object): string {
  return format === "json" ? utf8Bytes(JSON.stringify(value)) : Buffer.from(encodeMsgpack(value)).toString("latin1");
}
