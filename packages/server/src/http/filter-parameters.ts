import { QueueError } from "@millrace/protocol/errors";
import { type JobId, parseJobId, U64_MAX } from "@millrace/protocol/ids";
import { type Status, statuses } from "@millrace/protocol/job-view";
import type { JobFilter } from "../job/job-filter.ts";
import { parseList, type Query } from "./query.ts";
import { parseRange, parseRangeU64, printRange, U16_MAX, U32_MAX } from "./ranges.ts";

/** The parameters by which jobs are chosen, in the order in which page links show them (http-api.md 4.3, 10.1). */
export const filterParameters = [
  "status",
  "queue",
  "type",
  "id",
  "priority",
  "ready_at",
  "attempts",
  "filter",
  "budgets.key",
  "group",
  "tags",
  "config_key",
  "phase",
  "reason",
] as const;

/** INVALID_QUERY: an id of the wrong form, an unknown status, a bad range. */
export function parseJobFilter(query: Query): JobFilter {
  const ids = parseList(query.get("id"));
  const chosen = parseList(query.get("status"));
  const queues = parseList(query.get("queue"));
  const types = parseList(query.get("type"));
  const priority = parseRange("priority", query.get("priority"), U16_MAX);
  const readyAt = parseRangeU64("ready_at", query.get("ready_at"));
  const attempts = parseRange("attempts", query.get("attempts"), U32_MAX);
  return {
    ...(ids && { ids: new Set(Array.from(ids, parseId)) }),
    ...(chosen && { statuses: new Set(Array.from(chosen, parseStatus)) }),
    ...(queues && { queues }),
    ...(types && { types }),
    ...(priority && { priority }),
    ...(readyAt && { readyAt }),
    ...(attempts && { attempts }),
  };
}

/** A filter as parameters again, each `name=value` encoded, in the order of page links. */
export function printJobFilter(filter: JobFilter): string[] {
  const parameters: string[] = [];
  const list = (name: string, values: ReadonlySet<string> | undefined): void => {
    if (values !== undefined) parameters.push(`${name}=${Array.from(values).sort().map(encodeURIComponent).join(",")}`);
  };
  list("status", filter.statuses);
  list("queue", filter.queues);
  list("type", filter.types);
  list("id", filter.ids);
  if (filter.priority !== undefined) parameters.push(`priority=${printRange(filter.priority, U16_MAX)}`);
  if (filter.readyAt !== undefined) parameters.push(`ready_at=${printRange(filter.readyAt, U64_MAX)}`);
  if (filter.attempts !== undefined) parameters.push(`attempts=${printRange(filter.attempts, U32_MAX)}`);
  return parameters;
}

function parseId(text: string): JobId {
  const id = parseJobId(text);
  if (id === undefined) {
    throw new QueueError("INVALID_QUERY", `id: ${JSON.stringify(text)} is not 25 characters of a-z and 0-9`);
  }
  return id;
}

function parseStatus(text: string): Status {
  const status = statuses.find((word) => word === text);
  if (status === undefined) throw new QueueError("INVALID_QUERY", `status must be of ${statuses.join(", ")}`);
  return status;
}
