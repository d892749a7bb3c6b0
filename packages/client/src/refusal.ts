/** An HTTP error reply as the error that a caller meets. */
import { type ErrorCode, type ErrorDetails, errorCodes, QueueError } from "@millrace/protocol/errors";
import { ConnectionError } from "./connection-error.ts";

export interface Refused {
  readonly url: string;
  /** What was asked, such as `POST /jobs`. */
  readonly request: string;
  readonly status: number;
  /** The decoded body; undefined when there is none or it cannot be decoded. */
  readonly body: unknown;
}

/**
 * A QueueError with the server's code. A reply that no Millrace server writes (a proxy's page, another service on that
 * port) is INTERNAL from 500 up, else a ConnectionError of kind `protocol`.
 */
export function refusal(refused: Refused): QueueError | ConnectionError {
  const { status, body, request } = refused;
  if (isRecord(body) && typeof body["error"] === "string") {
    const code = body["code"];
    if (isErrorCode(code)) return new QueueError(code, body["error"], { details: detailsOf(body) });
    // A newer server's code: the nearest that this library knows, and the server's own in the text.
    const text = typeof code === "string" ? `${body["error"]} (${code})` : body["error"];
    return new QueueError(nearestCode(status), text, { details: detailsOf(body) });
  }
  const reason = `answered ${status} without a body that Millrace would send`;
  if (status >= 500) return new QueueError("INTERNAL", `${request} to ${refused.url}: ${reason}`);
  return new ConnectionError({ kind: "protocol", url: refused.url, request, mayHaveHappened: true, reason });
}

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "FORBIDDEN",
  404: "ROUTE_NOT_FOUND",
  406: "NOT_ACCEPTABLE",
  409: "CONFIG_CONFLICT",
  413: "BODY_TOO_LARGE",
  414: "URI_TOO_LONG",
  415: "UNSUPPORTED_MEDIA_TYPE",
  429: "QUEUE_FULL",
  431: "HEADERS_TOO_LARGE",
  503: "NOT_READY",
};

function nearestCode(status: number): ErrorCode {
  return codesByStatus[status] ?? (status >= 500 ? "INTERNAL" : "INVALID_FIELD");
}

function detailsOf(body: Readonly<Record<string, unknown>>): ErrorDetails {
  const { supported, not_found: notFound, stale, index } = body;
  return {
    ...(isTexts(supported) ? { supported } : undefined),
    ...(isTexts(notFound) ? { not_found: notFound } : undefined),
    ...(isTexts(stale) ? { stale } : undefined),
    ...(typeof index === "number" ? { index } : undefined),
  };
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === "string");
}
