/**
 * Every error a caller can meet, by its stable code. The text of an error may change, its code may not.
 * `retry` says whether the same request may succeed later without being changed.
 * docs/errors.md documents each code; a test compares the two.
 */
export const errorCodes = {
  INVALID_QUERY: { http: 400, retry: false },
  INVALID_PATH: { http: 400, retry: false },
  INVALID_HEADER: { http: 400, retry: false },
  MALFORMED_BODY: { http: 400, retry: false },
  INVALID_FIELD: { http: 400, retry: false },
  INVALID_NAME: { http: 400, retry: false },
  CONFLICTING_OPTIONS: { http: 400, retry: false },
  INVALID_FILTER: { http: 400, retry: false },
  FILTER_TOO_EXPENSIVE: { http: 422, retry: false },
  INVALID_SCHEDULE: { http: 400, retry: false },
  NOT_SUPPORTED: { http: 400, retry: false },
  REFUSED_COMBINATION: { http: 400, retry: false },
  UNAUTHENTICATED: { http: 401, retry: false },
  FORBIDDEN: { http: 403, retry: false },
  ROUTE_NOT_FOUND: { http: 404, retry: false },
  JOB_NOT_FOUND: { http: 404, retry: false },
  JOB_NOT_IN_FLIGHT: { http: 404, retry: false },
  ATTEMPT_NOT_FOUND: { http: 404, retry: false },
  CRON_NOT_FOUND: { http: 404, retry: false },
  CRON_ENTRY_NOT_FOUND: { http: 404, retry: false },
  BUDGET_NOT_FOUND: { http: 404, retry: false },
  BUDGET_NOT_BOUND: { http: 404, retry: false },
  METHOD_NOT_ALLOWED: { http: 405, retry: false },
  NOT_ACCEPTABLE: { http: 406, retry: false },
  BUDGET_EXISTS: { http: 409, retry: false },
  CRON_ENTRY_EXISTS: { http: 409, retry: false },
  BUDGET_IN_USE: { http: 409, retry: false },
  BUDGET_ALREADY_BOUND: { http: 409, retry: false },
  STALE_DELIVERY: { http: 409, retry: false },
  UNIQUE_CONFLICT: { http: 409, retry: false },
  CONFIG_CONFLICT: { http: 409, retry: false },
  GENERATION_MISMATCH: { http: 409, retry: false },
  BODY_TOO_LARGE: { http: 413, retry: false },
  PAYLOAD_TOO_LARGE: { http: 413, retry: false },
  RESULT_TOO_LARGE: { http: 413, retry: false },
  TOO_MANY_ITEMS: { http: 413, retry: false },
  URI_TOO_LONG: { http: 414, retry: false },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, retry: false },
  INVALID_PATCH: { http: 422, retry: false },
  JOB_TERMINAL: { http: 422, retry: false },
  JOB_IN_FLIGHT: { http: 422, retry: false },
  JOB_NOT_RETRYABLE: { http: 422, retry: false },
  INVALID_BATCH: { http: 422, retry: false },
  BATCH_FOLD_FAILED: { http: 422, retry: false },
  INVALID_BUDGET: { http: 422, retry: false },
  INVALID_BUDGET_BINDING: { http: 422, retry: false },
  BUDGET_TOO_SMALL: { http: 422, retry: false },
  TOO_MANY_BUDGETS: { http: 422, retry: false },
  BACKFILL_TOO_LARGE: { http: 422, retry: false },
  SOME_NOT_IN_FLIGHT: { http: 422, retry: false },
  INVALID_DEPENDENCY: { http: 422, retry: false },
  IDEMPOTENCY_KEY_REUSED: { http: 422, retry: false },
  QUEUE_FULL: { http: 429, retry: true },
  QUEUE_CLOSED: { http: 429, retry: true },
  HEADERS_TOO_LARGE: { http: 431, retry: false },
  INTERNAL: { http: 500, retry: true },
  STORAGE_UNAVAILABLE: { http: 503, retry: true },
  STORAGE_FULL: { http: 503, retry: true },
  SHUTTING_DOWN: { http: 503, retry: true },
  NOT_READY: { http: 503, retry: true },
} as const satisfies Record<string, { http: number; retry: boolean }>;

/** A stable error code, part of the API. */
export type ErrorCode = keyof typeof errorCodes;

/** Members that some errors carry beside `error` and `code`; each only where the contract names it. */
export interface ErrorDetails {
  readonly supported?: readonly string[];
  readonly not_found?: readonly string[];
  readonly stale?: readonly string[];
  /** Position of the offending member of a bulk request, from 0. */
  readonly index?: number;
}

/** An error that a caller can cause or must handle. What only we can cause is an assertion instead (`base/assert.ts`). */
export class QueueError extends Error {
  override readonly name = "QueueError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  /** The HTTP status of the code. */
  get status(): number {
    return errorCodes[this.code].http;
  }

  /** Whether the same request may succeed later without being changed. */
  get retryable(): boolean {
    return errorCodes[this.code].retry;
  }

  /** The body on the wire: `{error, code, …details}`. */
  toBody(): { error: string; code: ErrorCode } & ErrorDetails {
    return { error: this.message, code: this.code, ...this.details };
  }
}
