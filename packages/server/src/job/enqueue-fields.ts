import type { ValueCursor } from "../base/value-cursor.ts";
import { refuse, type Where } from "./field-checks.ts";

/** The members of an enqueue body as they were sent: read, not yet judged. */
export class EnqueueFields {
  type: unknown = undefined;
  queue: unknown = undefined;
  /** A copy of its bytes; undefined = the key is missing. */
  payload: Buffer | undefined = undefined;
  priority: unknown = undefined;
  readyAt: unknown = undefined;
  retryLimit: unknown = undefined;
  backoff: unknown = undefined;
  retention: unknown = undefined;
  /** The name of a given field that the contract knows and this server does not support. */
  unbuilt: string | undefined = undefined;
}

/** Fields of the contract that are refused until they do something: a job must not be accepted without what it asks for. */
const unbuiltFields: ReadonlySet<string> = new Set([
  "unique_key",
  "unique_while",
  "batch",
  "budgets",
  "expires_at",
  "timeout_ms",
  "group",
  "tags",
  "config_key",
  "dedupe",
  "overlap",
  "on_conflict",
  "queue_ttl_ms",
  "max_lost",
  "cost_ms",
  "cancel",
  "retry",
  "after",
  "on_parent_failed",
]);

/** Reads one enqueue body or member of a bulk. Unknown members are passed over; of a repeated key the last one counts. */
export function readFields(cursor: ValueCursor, where: Where): EnqueueFields {
  if (!cursor.enterObject()) refuse("INVALID_FIELD", where, "", "must be an object");
  const fields = new EnqueueFields();
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) readField(cursor, key, fields);
  return fields;
}

function readField(cursor: ValueCursor, key: string, fields: EnqueueFields): void {
  switch (key) {
    case "type":
      fields.type = cursor.value();
      break;
    case "queue":
      fields.queue = cursor.value();
      break;
    case "payload":
      fields.payload = cursor.copy();
      break;
    case "priority":
      fields.priority = cursor.value();
      break;
    case "ready_at":
      fields.readyAt = cursor.value();
      break;
    case "retry_limit":
      fields.retryLimit = cursor.value();
      break;
    case "backoff":
      fields.backoff = cursor.value();
      break;
    case "retention":
      fields.retention = cursor.value();
      break;
    default:
      if (unbuiltFields.has(key)) readUnbuilt(cursor, key, fields);
      else cursor.skip();
  }
}

function readUnbuilt(cursor: ValueCursor, key: string, fields: EnqueueFields): void {
  if (cursor.value() !== null) fields.unbuilt = key;
  else if (fields.unbuilt === key) fields.unbuilt = undefined;
}
