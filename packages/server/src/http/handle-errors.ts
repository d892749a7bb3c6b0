import { QueueError } from "@millrace/protocol/errors";
import type { ErrorRecordView } from "@millrace/protocol/job-view";
import { limits } from "../base/limits.ts";
import type { ErrorRecord } from "../job/job.ts";
import type { Call, Door } from "./handler.ts";
import { pageLinks } from "./page-links.ts";
import { isDigits, parseOrder, parseQuery, parseUnsigned, refuseParameters } from "./query.ts";
import { U32_MAX } from "./ranges.ts";
import { replyValue } from "./reply.ts";

const OF_LIST: ReadonlySet<string> = new Set(["from", "order", "limit"]);

/** GET /jobs/{id}/errors */
export async function handleErrors(
  door: Door,
  { exchange, format, parameters: [id = ""], query }: Call,
): Promise<void> {
  const parameters = parseQuery(query, OF_LIST);
  const from = parseUnsigned(parameters, "from", 0, U32_MAX);
  const order = parseOrder(parameters);
  const limit = parseUnsigned(parameters, "limit", 1, limits.listLimitMax) ?? limits.listLimitDefault;
  const { records, more } = await door.verbs.errors(id, { from, order, limit });
  const first = records.at(0);
  const last = records.at(-1);
  const pages = pageLinks({
    path: `/jobs/${encodeURIComponent(id)}/errors`,
    from: from?.toString(),
    order,
    limit,
    filter: [],
    rows: first && last && { first: String(first.attempt), last: String(last.attempt) },
    more,
  });
  replyValue(exchange, format, 200, { errors: records.map(view), pages });
}

/** GET /jobs/{id}/errors/{attempt} */
export async function handleError(door: Door, { exchange, format, parameters, query }: Call): Promise<void> {
  const [id = "", text = ""] = parameters;
  const attempt = isDigits(text) ? Number(text) : Number.NaN;
  if (!(attempt <= U32_MAX)) throw new QueueError("INVALID_PATH", "an attempt is a number from 1");
  refuseParameters(query);
  replyValue(exchange, format, 200, view(await door.verbs.error(id, attempt)));
}

function view(record: ErrorRecord) {
  return {
    attempt: record.attempt,
    message: record.message,
    ...(record.errorType !== undefined && { error_type: record.errorType }),
    ...(record.backtrace !== undefined && { backtrace: record.backtrace }),
    dequeued_at: record.dequeuedAt,
    failed_at: record.failedAt,
  } satisfies ErrorRecordView;
}
