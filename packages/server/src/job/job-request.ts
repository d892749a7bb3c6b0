/**
 * The bodies of an enqueue, from bytes to requests that have passed every check that needs no store. Hot: a field is built
 * as a value only to be checked, a payload is never parsed. Checks come in the contract's order (http-api.md 9.1): names,
 * then what is not built yet, then everything else.
 */
import { QueueError } from "@millrace/protocol/errors";
import { parseQueueName, parseTypeName } from "@millrace/protocol/ids";
import { openCursor } from "../base/open-cursor.ts";
import { msgpackToJson } from "../base/transcode.ts";
import type { ValueCursor, WireFormat } from "../base/value-cursor.ts";
import { outcomeOf, readBody, resultOf } from "./body-walk.ts";
import { readFields } from "./enqueue-fields.ts";
import { optionalInteger, optionalU64, refuse, requiredText, U16_MAX, type Where } from "./field-checks.ts";
import type { JobRequest, Payload } from "./job.ts";
import { optionsOf } from "./options-request.ts";

const PRIORITY_DEFAULT = 32_768;

/** Bounds that an operator may change; 0 = off. */
export interface RequestLimits {
  /** Of one payload, encoded as JSON. */
  readonly payloadBytesMax: number;
  readonly bulkItemsMax: number;
}

/** One job. Errors: MALFORMED_BODY, INVALID_FIELD, INVALID_NAME, NOT_SUPPORTED, PAYLOAD_TOO_LARGE. */
export function parseEnqueue(body: Buffer, format: WireFormat, limits: RequestLimits): JobRequest {
  const cursor = openCursor(body, format);
  const outcome = outcomeOf(cursor, () => readRequest(cursor, format, limits, undefined));
  cursor.end();
  return resultOf(outcome);
}

/**
 * The jobs of `{jobs: […]}`. Errors as for one job, their text begins with `jobs[i]` and `index` is i; also TOO_MANY_ITEMS.
 */
export function parseBulk(body: Buffer, format: WireFormat, limits: RequestLimits): JobRequest[] {
  const cursor = openCursor(body, format);
  let outcome: JobRequest[] | QueueError | undefined;
  readBody(cursor, (key) => {
    if (key === "jobs") outcome = outcomeOf(cursor, () => readRequests(cursor, format, limits));
    else cursor.skip();
  });
  return resultOf(outcome ?? refuse("INVALID_FIELD", undefined, "jobs", "is required"));
}

function readRequests(cursor: ValueCursor, format: WireFormat, limits: RequestLimits): JobRequest[] {
  if (!cursor.enterArray()) refuse("INVALID_FIELD", undefined, "jobs", "must be an array");
  const requests: JobRequest[] = [];
  while (cursor.nextItem()) {
    if (requests.length === limits.bulkItemsMax && limits.bulkItemsMax > 0) {
      throw new QueueError("TOO_MANY_ITEMS", `jobs must not have more than ${limits.bulkItemsMax} members`);
    }
    requests.push(readRequest(cursor, format, limits, requests.length));
  }
  return requests;
}

function readRequest(cursor: ValueCursor, format: WireFormat, limits: RequestLimits, where: Where): JobRequest {
  const fields = readFields(cursor, where);
  // (1) names
  const typeText = requiredText(fields.type, where, "type");
  const queueText = requiredText(fields.queue, where, "queue");
  const type = parseTypeName(typeText) ?? refuseName(where, "type", typeText);
  const queue = parseQueueName(queueText) ?? refuseName(where, "queue", queueText);
  // What is not built yet.
  if (fields.unbuilt !== undefined) refuse("NOT_SUPPORTED", where, fields.unbuilt, "is not supported yet");
  // (4) other fields
  const bytes = fields.payload ?? refuse("INVALID_FIELD", where, "payload", "is required; it may be null");
  const payload = { format, bytes };
  checkSize(payload, limits.payloadBytesMax, where);
  return {
    queue,
    type,
    payload,
    priority: optionalInteger(fields.priority, U16_MAX, where, "priority") ?? PRIORITY_DEFAULT,
    readyAt: optionalU64(fields.readyAt, where, "ready_at"),
    options: optionsOf(fields, where),
  };
}

function refuseName(where: Where, path: string, name: string): never {
  const rule =
    name === "" ? "must not be empty" : `must hold none of , NUL * ? [ ] { } \\, but is ${JSON.stringify(name)}`;
  return refuse("INVALID_NAME", where, path, rule);
}

/** A byte of MessagePack becomes at most six of JSON: a control character in a text, or `false` and a comma. */
const JSON_GROWTH_MAX = 6;

function checkSize(payload: Payload, bytesMax: number, where: Where): void {
  const { bytes, format } = payload;
  if (bytesMax === 0 || bytes.length * (format === "json" ? 1 : JSON_GROWTH_MAX) <= bytesMax) return;
  const jsonBytes = format === "json" ? bytes.length : msgpackToJson(bytes).length;
  if (jsonBytes <= bytesMax) return;
  refuse("PAYLOAD_TOO_LARGE", where, "payload", `has ${jsonBytes} bytes as JSON, more than ${bytesMax}`);
}
