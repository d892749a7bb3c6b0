import { QueueError } from "@millrace/protocol/errors";

/**
 * Refuses a request whose target, or target and headers together, exceed the limit: URI_TOO_LONG when the target does so alone,
 * else HEADERS_TOO_LARGE. Node's own limits are set above ours because its parser cannot tell the two apart.
 * @param rawHeaders names and values in turn, as Node hands them out; over HTTP/2 the target is among them
 */
export function refusalOfHead(target: string, rawHeaders: readonly string[], bytesMax: number): QueueError | undefined {
  if (target.length > bytesMax) return uriTooLong(bytesMax);
  let bytes = rawHeaders[0]?.startsWith(":") ? 0 : target.length;
  for (const part of rawHeaders) bytes += part.length;
  return bytes > bytesMax ? headersTooLarge(bytesMax) : undefined;
}

export function uriTooLong(bytesMax: number): QueueError {
  return new QueueError("URI_TOO_LONG", `the request target is longer than ${bytesMax} bytes`);
}

export function headersTooLarge(bytesMax: number): QueueError {
  return new QueueError("HEADERS_TOO_LARGE", `request target and headers are longer than ${bytesMax} bytes`);
}
