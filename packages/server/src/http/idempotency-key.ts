import { QueueError } from "@millrace/protocol/errors";
import type { Exchange } from "./exchange.ts";

/** A client that sends the key relies on it: ignoring it would enqueue twice. NOT_SUPPORTED. */
export function refuseIdempotencyKey(exchange: Exchange): void {
  if (exchange.header("idempotency-key") !== undefined) {
    throw new QueueError("NOT_SUPPORTED", "the header Idempotency-Key is not supported yet");
  }
}
