import type { ErrorCode } from "@millrace/protocol/errors";

/** What came of a request. `unheard` = whoever was to answer is gone, or the answer got lost. */
export type Outcome<T> =
  | { readonly kind: "answered"; readonly value: T }
  | { readonly kind: "refused"; readonly code: ErrorCode }
  | { readonly kind: "unheard" };

/** Refusals after which it is not known whether the thing was done. */
const unknowing: ReadonlySet<ErrorCode> = new Set(["STORAGE_UNAVAILABLE", "STORAGE_FULL", "SHUTTING_DOWN"]);

/** Whether the request certainly changed nothing. */
export function isDefinite(outcome: Outcome<unknown>): outcome is { kind: "refused"; code: ErrorCode } {
  return outcome.kind === "refused" && !unknowing.has(outcome.code);
}

/** Whether the same request may fare better later. */
export function isWorthRepeating(outcome: Outcome<unknown>): boolean {
  return (
    outcome.kind === "unheard" ||
    (outcome.kind === "refused" && (unknowing.has(outcome.code) || outcome.code === "NOT_READY"))
  );
}
