import type { DeliveryToken, JobId, QueueName, TypeName } from "@millrace/protocol/ids";
import { instant } from "@millrace/protocol/ids";
import { idFromWords, idToBytes } from "../../src/base/id-bytes.ts";
import type { InFlightJob, LiveJob, ReadyJob, ScheduledJob } from "../../src/job/job.ts";

/** The id with this place in the order of ids: sampleId(1) < sampleId(2). */
export function sampleId(place: number): JobId {
  return idFromWords(0x19a0_0000, place >>> 16, place << 16, Math.imul(place, 0x9e3779b1) >>> 0);
}

export function boundOfPlace(place: number): Uint8Array {
  const bytes = new Uint8Array(16);
  idToBytes(sampleId(place), bytes, 0);
  return bytes;
}

/** What a test sets is what it means; the rest is ordinary. */
type Wishes = Partial<Omit<ReadyJob, "id" | "queue" | "type" | "status">> & { queue?: string; type?: string };

export function ready(place: number, wishes: Wishes = {}): ReadyJob {
  return { ...common(place, wishes), status: "ready" };
}

export function scheduled(
  place: number,
  readyAt: number | bigint,
  wishes: Wishes = {},
  because: "delay" | "retry" = "delay",
): ScheduledJob {
  return { ...common(place, { ...wishes, readyAt }), status: "scheduled", because };
}

export function inFlight(job: LiveJob, delivery = `delivery-of-${job.id}`): InFlightJob {
  const { id, queue, type, priority, readyAt, attempts, lost, failedAt, options } = job;
  const common = { id, queue, type, priority, readyAt, attempts, lost, dequeuedAt: instant(5_000), failedAt, options };
  return { ...common, status: "in_flight", delivery: delivery as DeliveryToken };
}

/** The job given back: ready, its history kept. */
export function requeued(job: LiveJob): ReadyJob {
  const { id, queue, type, priority, readyAt, attempts, lost, dequeuedAt, failedAt, options } = job;
  const common = { id, queue, type, priority, readyAt, attempts, lost: lost + 1, dequeuedAt, failedAt, options };
  return { ...common, status: "ready" };
}

function common(place: number, { queue = "mail", type = "send", ...wishes }: Wishes) {
  return {
    id: sampleId(place),
    queue: queue as QueueName,
    type: type as TypeName,
    priority: 32_768,
    readyAt: 1_000,
    attempts: 0,
    lost: 0,
    dequeuedAt: undefined,
    failedAt: undefined,
    options: {},
    ...wishes,
  };
}
