import { invariant } from "../base/assert.ts";
import { parseEnqueue } from "../job/job-request.ts";
import type { Call, Door } from "./handler.ts";
import { refuseIdempotencyKey } from "./idempotency-key.ts";
import { bodyFormat } from "./negotiate.ts";
import { refuseParameters } from "./query.ts";
import { replyBytes, replyNothing } from "./reply.ts";

/** POST /jobs */
export async function handleEnqueue(door: Door, { exchange, format, query }: Call): Promise<void> {
  const bodyIs = bodyFormat(exchange.header("content-type"));
  const body = await door.bodies.read(exchange);
  refuseParameters(query);
  refuseIdempotencyKey(exchange);
  const request = parseEnqueue(body, bodyIs, door.settings);
  const [enqueued] = await door.verbs.enqueue([request]);
  invariant(enqueued !== undefined, "one request has one answer");
  const status = enqueued.duplicate || enqueued.folded ? 200 : 201;
  replyBytes(exchange, format, status, door.encoder.enqueued(format, enqueued));
}

/** GET /jobs/{id} */
export async function handleGet(door: Door, { exchange, format, parameters: [id = ""], query }: Call): Promise<void> {
  refuseParameters(query);
  const snapshot = await door.verbs.get(id);
  replyBytes(exchange, format, 200, door.encoder.snapshot(format, snapshot));
}

/** DELETE /jobs/{id} */
export async function handleDelete(door: Door, { exchange, parameters: [id = ""], query }: Call): Promise<void> {
  refuseParameters(query);
  await door.verbs.remove(id);
  replyNothing(exchange);
}
