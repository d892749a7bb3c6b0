/**
 * Payloads of jobs that were just enqueued, kept until they are handed out for the first time: on a queue that keeps up, no
 * payload is ever read back from the store. Bounded in bytes and in number; when it is full, newer payloads are not kept, since
 * the older ones are mostly needed first. What is not here is read from the store, so nothing depends on it.
 */
import type { JobId } from "@millrace/protocol/ids";
import type { Payload } from "../job/job.ts";

/** What a payload costs beside its bytes: the objects that hold it, an estimate. */
const overheadBytes = 400;

export class FreshPayloads {
  readonly #bytesMax: number;
  readonly #payloads = new Map<JobId, Payload>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(id: JobId, payload: Payload): void {
    const bytes = costOf(payload);
    if (this.#bytes + bytes > this.#bytesMax) return;
    this.#bytes += bytes;
    this.#payloads.set(id, payload);
  }

  /** The payload, which is not kept any longer. */
  take(id: JobId): Payload | undefined {
    const payload = this.#payloads.get(id);
    if (payload === undefined) return undefined;
    this.#payloads.delete(id);
    this.#bytes -= costOf(payload);
    return payload;
  }
}

function costOf(payload: Payload): number {
  return payload.bytes.length + overheadBytes;
}
