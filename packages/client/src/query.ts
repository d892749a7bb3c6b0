/** Filters and paging as a query string; parameter names are the wire's. */
import { QueueError } from "@millrace/protocol/errors";
import type { JobFilter, ListQuery, Paging, Range } from "./job.ts";
import { isWellFormed } from "./payload.ts";

/** `?…`, or empty when nothing filters. INVALID_FIELD for a value that the wire's lists cannot hold. */
export function listQuery(query: ListQuery): string {
  return render([...pagingParts(query), ...filterParts(query)]);
}

export function filterQuery(filter: JobFilter): string {
  return render(filterParts(filter));
}

export function pagingQuery(paging: Paging<number>): string {
  return render(pagingParts(paging));
}

/** `?prefetch=…&queue=…` of a take stream. */
export function takeQuery(options: { prefetch: number; queues: readonly string[] }): string {
  return render([["prefetch", String(options.prefetch)], ...list("queue", options.queues)]);
}

type Part = readonly [name: string, value: string];

const filterNames: ReadonlySet<string> = new Set(["id", "status", "queue", "type", "priority", "readyAt", "attempts"]);
const pagingNames: ReadonlySet<string> = new Set(["order", "limit", "from"]);

/** A misspelt member would quietly select other jobs, all of them in the worst case. */
function refuseUnknown(query: object): void {
  const unknown = Object.keys(query).find((name) => !filterNames.has(name) && !pagingNames.has(name));
  if (unknown !== undefined) throw new QueueError("INVALID_FIELD", `${unknown} is not a filter`);
}

function filterParts(filter: JobFilter): Part[] {
  refuseUnknown(filter);
  return [
    ...list("status", filter.status),
    ...list("queue", filter.queue),
    ...list("type", filter.type),
    ...list("id", filter.id),
    ...range("priority", filter.priority),
    ...range("ready_at", filter.readyAt),
    ...range("attempts", filter.attempts),
  ];
}

function pagingParts(paging: Paging<string | number>): Part[] {
  const parts: Part[] = [];
  if (paging.from !== undefined) parts.push(["from", String(paging.from)]);
  if (paging.order !== undefined) parts.push(["order", paging.order]);
  if (paging.limit !== undefined) parts.push(["limit", String(paging.limit)]);
  return parts;
}

function list(name: string, value: string | readonly string[] | undefined): Part[] {
  if (value === undefined) return [];
  const values = typeof value === "string" ? [value] : value;
  for (const member of values) {
    // A comma would split the value, an empty one would be skipped: both would quietly select other jobs.
    if (member === "" || member.includes(",")) {
      throw new QueueError("INVALID_FIELD", `${name} "${member}": a filter's value must not be empty or hold a comma`);
    }
  }
  return values.length === 0 ? [] : [[name, values.join(",")]];
}

function range(name: string, value: Range | undefined): Part[] {
  if (value === undefined) return [];
  if (typeof value === "number") return [[name, String(value)]];
  if (value.min === undefined && value.max === undefined) return [];
  return [[name, `${value.min ?? ""}..${value.max ?? ""}`]];
}

function render(parts: readonly Part[]): string {
  if (parts.length === 0) return "";
  return `?${parts.map(([name, value]) => `${name}=${encoded(name, value)}`).join("&")}`;
}

function encoded(name: string, text: string): string {
  if (isWellFormed(text)) return encodeURIComponent(text);
  throw new QueueError("INVALID_FIELD", `${name} holds half a surrogate pair, which no URL can carry`);
}
