import { QueueError } from "@millrace/protocol/errors";
import type { DeliveryToken } from "@millrace/protocol/ids";
import { parseAcks, parseFailure, parseSuccessBody } from "../job/settle-request.ts";
import type { Exchange } from "./exchange.ts";
import type { Call, Door } from "./handler.ts";
import { bodyFormat, type WireFormat } from "./negotiate.ts";
import { parseQuery, refuseParameters } from "./query.ts";
import { replyBytes, replyNothing } from "./reply.ts";

const OF_SETTLE: ReadonlySet<string> = new Set(["delivery"]);

/** POST /jobs/{id}/success. A body is not needed; one that is there must be of a known type. */
export async function handleSuccess(door: Door, { exchange, parameters: [id = ""], query }: Call): Promise<void> {
  const body = await readOptionalBody(door, exchange);
  const sent = body.length === 0 ? {} : parseSuccessBody(body, typeOf(exchange));
  await door.verbs.succeed({ id, delivery: deliveryOf(query, sent.delivery) });
  replyNothing(exchange);
}

/** POST /jobs/{id}/failure */
export async function handleFailure(
  door: Door,
  { exchange, format, parameters: [id = ""], query }: Call,
): Promise<void> {
  const bodyIs = typeOf(exchange);
  const body = await door.bodies.read(exchange);
  const { failure, delivery } = parseFailure(body, bodyIs);
  const job = await door.verbs.fail({ id, delivery: deliveryOf(query, delivery) }, failure);
  replyBytes(exchange, format, 200, door.encoder.job(format, job));
}

/** POST /jobs/success: what can be settled is, the rest is named. */
export async function handleSuccessBulk(door: Door, { exchange, query }: Call): Promise<void> {
  const bodyIs = typeOf(exchange);
  const body = await door.bodies.read(exchange);
  refuseParameters(query);
  const acks = parseAcks(body, bodyIs, door.settings);
  const { notFound, stale } = await door.verbs.succeedMany(acks);
  if (notFound.length > 0 || stale.length > 0) {
    throw new QueueError("SOME_NOT_IN_FLIGHT", `${notFound.length + stale.length} of the jobs could not be settled`, {
      details: { not_found: notFound, stale },
    });
  }
  replyNothing(exchange);
}

async function readOptionalBody(door: Door, exchange: Exchange): Promise<Buffer> {
  if ((exchange.contentLength ?? 0) > 0) typeOf(exchange);
  try {
    return await door.bodies.read(exchange);
  } catch (error) {
    // Too large is not empty: then its type comes first, though its length was not announced.
    typeOf(exchange);
    throw error;
  }
}

function typeOf(exchange: Exchange): WireFormat {
  return bodyFormat(exchange.header("content-type"));
}

/** The delivery that is settled, from the query or the body; both are fine while they agree. */
function deliveryOf(query: string, inBody: DeliveryToken | undefined): DeliveryToken | undefined {
  // Its form is not checked: what is not the current token, whatever it is, is stale.
  const inQuery = (parseQuery(query, OF_SETTLE).get("delivery") || undefined) as DeliveryToken | undefined;
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw new QueueError("INVALID_FIELD", "delivery differs between the body and the query");
  }
  return inBody ?? inQuery;
}
