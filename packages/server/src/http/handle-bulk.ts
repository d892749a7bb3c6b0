import { limits } from "../base/limits.ts";
import { parseBulk } from "../job/job-request.ts";
import { filterParameters, parseJobFilter, printJobFilter } from "./filter-parameters.ts";
import type { Call, Door } from "./handler.ts";
import { refuseIdempotencyKey } from "./idempotency-key.ts";
import { bodyFormat } from "./negotiate.ts";
import { pageLinks } from "./page-links.ts";
import { parseOrder, parseQuery, parseUnsigned, refuseParameters } from "./query.ts";
import { encodeValue, replyBytes, replyValue } from "./reply.ts";

const OF_COUNT: ReadonlySet<string> = new Set(filterParameters);
const OF_LIST: ReadonlySet<string> = new Set(["from", "order", "limit", ...filterParameters]);

/** POST /jobs/bulk */
export async function handleEnqueueBulk(door: Door, { exchange, format, query }: Call): Promise<void> {
  const bodyIs = bodyFormat(exchange.header("content-type"));
  const body = await door.bodies.read(exchange);
  refuseParameters(query);
  refuseIdempotencyKey(exchange);
  const requests = parseBulk(body, bodyIs, door.settings);
  const enqueued = requests.length === 0 ? [] : await door.verbs.enqueue(requests);
  const nothingNew = enqueued.length > 0 && enqueued.every(({ duplicate, folded }) => duplicate || folded);
  replyBytes(exchange, format, nothingNew ? 200 : 201, door.encoder.enqueuedMany(format, enqueued));
}

/** GET /jobs */
export async function handleList(door: Door, { exchange, format, query }: Call): Promise<void> {
  const parameters = parseQuery(query, OF_LIST);
  const from = parameters.get("from");
  const order = parseOrder(parameters);
  const limit = parseUnsigned(parameters, "limit", 1, limits.listLimitMax) ?? limits.listLimitDefault;
  const filter = parseJobFilter(parameters);
  const { jobs, more } = await door.verbs.list({ filter, from, order, limit });
  const first = jobs.at(0);
  const last = jobs.at(-1);
  const rows = first && last && { first: first.job.id, last: last.job.id };
  const pages = pageLinks({ path: "/jobs", from, order, limit, filter: printJobFilter(filter), rows, more });
  replyBytes(exchange, format, 200, door.encoder.page(format, jobs, encodeValue(format, pages)));
}

/** GET /jobs/count */
export async function handleCount(door: Door, { exchange, format, query }: Call): Promise<void> {
  const filter = parseJobFilter(parseQuery(query, OF_COUNT));
  replyValue(exchange, format, 200, { count: await door.verbs.count(filter) });
}
