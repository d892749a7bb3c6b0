import { QueueError } from "@millrace/protocol/errors";
import { negotiateTake, type TakeContentType, takeContentTypes } from "@millrace/protocol/take-stream";

/** The two formats of bodies. */
export type WireFormat = "json" | "msgpack";

export const contentTypes = { json: "application/json", msgpack: "application/msgpack" } as const;

const SUPPORTED = Object.values(contentTypes);
const SUPPORTED_BY_TAKE = Object.keys(takeContentTypes);

/**
 * The format of the reply, by what the raw Accept header contains; q-values do not count. Undefined = none of ours.
 */
export function replyFormat(accept: string | undefined): WireFormat | undefined {
  if (accept === undefined) return "json";
  if (accept.includes("application/msgpack")) return "msgpack";
  return accept.includes("application/json") || accept.includes("*/*") ? "json" : undefined;
}

/** The refusal that goes with an undefined {@link replyFormat}. */
export function notAcceptable(): QueueError {
  return new QueueError("NOT_ACCEPTABLE", `this server answers in ${SUPPORTED.join(" or ")}`, {
    details: { supported: SUPPORTED },
  });
}

/** The format of a request's body. UNSUPPORTED_MEDIA_TYPE. */
export function bodyFormat(contentType: string | undefined): WireFormat {
  if (contentType === undefined) return "json";
  if (contentType.includes("application/msgpack")) return "msgpack";
  if (contentType.includes("application/json")) return "json";
  throw new QueueError("UNSUPPORTED_MEDIA_TYPE", `a body must be ${SUPPORTED.join(" or ")}`, {
    details: { supported: SUPPORTED },
  });
}

/** The Content-Type of a take stream, which is also how it is framed. NOT_ACCEPTABLE. */
export function takeContentType(accept: string | undefined): TakeContentType {
  const contentType = negotiateTake(accept);
  if (contentType !== undefined) return contentType;
  throw new QueueError("NOT_ACCEPTABLE", `a take stream comes as ${SUPPORTED_BY_TAKE.join(", ")}`, {
    details: { supported: SUPPORTED_BY_TAKE },
  });
}
