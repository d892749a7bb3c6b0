import { QueueError } from "@millrace/protocol/errors";
import type { Call, Door } from "./handler.ts";
import { parseQuery, refuseParameters } from "./query.ts";
import { replyValue } from "./reply.ts";

/** The version of the compatible API. Clients compare its major and minor part with their own. */
const API_VERSION = "0.7.3";

const OF_QUEUES: ReadonlySet<string> = new Set(["detail"]);

/** GET /health and GET /healthz: the process can answer. Nothing stands behind it. */
export function handleHealth(_door: Door, { exchange, format, query }: Call): void {
  refuseParameters(query);
  replyValue(exchange, format, 200, { status: "ok" });
}

/** GET /version */
export function handleVersion({ version }: Door, { exchange, format, query }: Call): void {
  refuseParameters(query);
  replyValue(exchange, format, 200, { version: API_VERSION, server: `millrace/${version}` });
}

/** GET /queues */
export async function handleQueues({ verbs }: Door, { exchange, format, query }: Call): Promise<void> {
  if (parseQuery(query, OF_QUEUES).get("detail")) throw new QueueError("NOT_SUPPORTED", "detail is not supported yet");
  replyValue(exchange, format, 200, { queues: await verbs.queues() });
}
