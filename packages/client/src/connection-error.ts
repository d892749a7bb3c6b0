/**
 * What went wrong between here and the server:
 * `unreachable`: no connection came about. `reset`: it broke. `timeout`: no (whole) reply in time.
 * `protocol`: a reply came that no Millrace server sends. `closed`: this client was closed.
 */
export type ConnectionFailure = "unreachable" | "reset" | "timeout" | "protocol" | "closed";

/** The server gave no answer that can be relied upon. What it did answer, if anything, is a `QueueError` instead. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly kind: ConnectionFailure;
  /** The server's base URL. */
  readonly url: string;
  /** False only when it is certain that nothing reached the server; true = the request may have been carried out. */
  readonly mayHaveHappened: boolean;

  constructor(options: {
    kind: ConnectionFailure;
    url: string;
    /** What was tried, such as `POST /jobs`. */
    request: string;
    mayHaveHappened: boolean;
    cause?: unknown;
    /** Why, in words; the cause's own text by default. */
    reason?: string;
  }) {
    const fate = options.mayHaveHappened ? "it may have been carried out" : "it was not sent";
    const reason = options.reason ?? textOf(options.cause);
    super(
      `${options.request} to ${options.url}: ${options.kind}${reason === "" ? "" : ` (${reason})`}; ${fate}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.kind = options.kind;
    this.url = options.url;
    this.mayHaveHappened = options.mayHaveHappened;
  }
}

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "";
  // A host with several addresses fails with an AggregateError, whose own text is empty.
  if (cause instanceof AggregateError && cause.message === "") return cause.errors.map(textOf).join(", ");
  return cause.message;
}
