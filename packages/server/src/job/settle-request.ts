/** The bodies with which a worker settles deliveries, from bytes to what the engine is asked. Null counts as absent. */
import { QueueError } from "@millrace/protocol/errors";
import type { DeliveryToken } from "@millrace/protocol/ids";
import { limits } from "../base/limits.ts";
import { openCursor } from "../base/open-cursor.ts";
import type { ValueCursor, WireFormat } from "../base/value-cursor.ts";
import { decodeBody, outcomeOf, readBody, resultOf } from "./body-walk.ts";
import { cutText } from "./cut-text.ts";
import { isAbsent, optionalText, optionalU64, refuse, requiredText } from "./field-checks.ts";
import type { Failure } from "./job.ts";
import type { RequestLimits } from "./job-request.ts";

/** Which delivery a worker settles. Neither part's form is checked: one that was never given matches nothing. */
export interface AckRequest {
  readonly id: string;
  /** Undefined = whichever delivery is current. */
  readonly delivery: DeliveryToken | undefined;
}

/**
 * The acks of `{ids: [id…]}` or `{acks: [{id, delivery?}…]}`, in order, repeated ones included. MALFORMED_BODY; INVALID_FIELD
 * (also for both, neither, or none); NOT_SUPPORTED for a `result`; TOO_MANY_ITEMS.
 */
export function parseAcks(body: Buffer, format: WireFormat, bounds: Pick<RequestLimits, "bulkItemsMax">): AckRequest[] {
  const cursor = openCursor(body, format);
  let ids: AckRequest[] | QueueError | undefined;
  let acks: AckRequest[] | QueueError | undefined;
  readBody(cursor, (key) => {
    if (key === "ids") ids = outcomeOf(cursor, () => readItems(cursor, key, bounds.bulkItemsMax, readId));
    else if (key === "acks") acks = outcomeOf(cursor, () => readItems(cursor, key, bounds.bulkItemsMax, readAck));
    else cursor.skip();
  });
  if (ids !== undefined && acks !== undefined)
    refuse("INVALID_FIELD", undefined, "ids", "and acks must not both be given");
  const [name, sent] = acks === undefined ? (["ids", ids] as const) : (["acks", acks] as const);
  const items = resultOf(sent ?? refuse("INVALID_FIELD", undefined, "ids", "is required"));
  return items.length > 0 ? items : refuse("INVALID_FIELD", undefined, name, "must not be empty");
}

/** The body of a single success: `{delivery?}`; no bytes at all are fine too. MALFORMED_BODY, INVALID_FIELD, NOT_SUPPORTED. */
export function parseSuccessBody(body: Buffer, format: WireFormat): { delivery?: DeliveryToken } {
  if (body.length === 0) return {};
  const sent = decodeBody(openCursor(body, format));
  refuseResult(sent["result"], "result");
  return deliveryOf(sent);
}

/**
 * The body of a failure. Texts are cut to the bounds of `limits`, and half surrogate pairs in them replaced instead of
 * refused: a worker must be able to report an error that speaks of broken text. MALFORMED_BODY, INVALID_FIELD.
 */
export function parseFailure(body: Buffer, format: WireFormat): { failure: Failure; delivery?: DeliveryToken } {
  const sent = decodeBody(openCursor(body, format, { loneSurrogates: "keep" }));
  const message = requiredText(sent["message"], undefined, "message");
  const errorType = optionalText(sent["error_type"], undefined, "error_type");
  const backtrace = optionalText(sent["backtrace"], undefined, "backtrace");
  const retryAt = optionalU64(sent["retry_at"], undefined, "retry_at");
  const kill = sent["kill"] ?? false;
  if (typeof kill !== "boolean") return refuse("INVALID_FIELD", undefined, "kill", "must be true or false");
  const failure = {
    message: cutText(message, limits.errorMessageBytesMax),
    ...(errorType === undefined ? undefined : { errorType: cutText(errorType, limits.errorTypeBytesMax) }),
    ...(backtrace === undefined ? undefined : { backtrace: cutText(backtrace, limits.backtraceBytesMax) }),
    ...(retryAt === undefined ? undefined : { retryAt }),
    kill,
  };
  return { failure, ...deliveryOf(sent) };
}

/** Null = not given. */
function readItems(
  cursor: ValueCursor,
  name: string,
  itemsMax: number,
  read: (cursor: ValueCursor, index: number) => AckRequest,
): AckRequest[] | undefined {
  if (!cursor.enterArray()) {
    return isAbsent(cursor.value()) ? undefined : refuse("INVALID_FIELD", undefined, name, "must be an array");
  }
  const items: AckRequest[] = [];
  while (cursor.nextItem()) {
    if (items.length === itemsMax && itemsMax > 0) {
      throw new QueueError("TOO_MANY_ITEMS", `${name} must not have more than ${itemsMax} members`);
    }
    items.push(read(cursor, items.length));
  }
  return items;
}

function readId(cursor: ValueCursor, index: number): AckRequest {
  const id = cursor.value();
  return typeof id === "string" ? { id, delivery: undefined } : refuseItem("ids", index, "must be a string");
}

function readAck(cursor: ValueCursor, index: number): AckRequest {
  if (!cursor.enterObject()) refuseItem("acks", index, "must be an object");
  let id: unknown;
  let delivery: unknown;
  let result: unknown;
  for (let key = cursor.nextKey(); key !== undefined; key = cursor.nextKey()) {
    if (key === "id") id = cursor.value();
    else if (key === "delivery") delivery = cursor.value();
    else if (key === "result") result = cursor.value();
    else cursor.skip();
  }
  if (typeof id !== "string") refuseItem("acks", index, "needs an id that is a string");
  if (!isAbsent(delivery) && typeof delivery !== "string")
    refuseItem("acks", index, "has a delivery that is no string");
  refuseResult(result, `acks[${index}].result`);
  return { id, delivery: isAbsent(delivery) ? undefined : (delivery as DeliveryToken) };
}

function refuseItem(list: string, index: number, rule: string): never {
  throw new QueueError("INVALID_FIELD", `${list}[${index}] ${rule}`, { details: { index } });
}

function refuseResult(result: unknown, path: string): void {
  if (!isAbsent(result)) refuse("NOT_SUPPORTED", undefined, path, "is not supported yet");
}

function deliveryOf(sent: Readonly<Record<string, unknown>>): { delivery?: DeliveryToken } {
  const delivery = optionalText(sent["delivery"], undefined, "delivery");
  return delivery === undefined ? {} : { delivery: delivery as DeliveryToken };
}
