import { type DeliveryToken, instant, type JobId, type QueueName, type TypeName } from "@millrace/protocol/ids";
import { idFromWords } from "../../src/base/id-bytes.ts";
import type {
  CompletedJob,
  DeadJob,
  ErrorRecord,
  InFlightJob,
  JobCommon,
  Payload,
  ReadyJob,
  ScheduledJob,
} from "../../src/job/job.ts";

/** An id that sorts by its number. */
export function idOf(n: number): JobId {
  return idFromWords(0x019a0000, n, 0, 7);
}

type Some<T extends JobCommon> = Partial<Omit<T, "status" | "queue" | "type">> & { queue?: string; type?: string };

function commonOf(given: Some<JobCommon> = {}): JobCommon {
  return {
    id: idOf(1),
    priority: 500,
    readyAt: 1_700_000_000_000,
    attempts: 0,
    lost: 0,
    dequeuedAt: undefined,
    failedAt: undefined,
    options: {},
    ...given,
    queue: (given.queue ?? "media") as QueueName,
    type: (given.type ?? "thumbnail") as TypeName,
  };
}

export function readyJob(given: Some<ReadyJob> = {}): ReadyJob {
  return { ...commonOf(given), status: "ready" };
}

export function scheduledJob(given: Some<ScheduledJob> = {}): ScheduledJob {
  return { ...commonOf(given), status: "scheduled", because: given.because ?? "delay" };
}

export function inFlightJob(given: Some<InFlightJob> = {}): InFlightJob {
  const dequeuedAt = given.dequeuedAt ?? instant(1_700_000_000_500);
  const delivery = given.delivery ?? ("0abcdef0000000001" as DeliveryToken);
  return { ...commonOf(given), status: "in_flight", dequeuedAt, delivery };
}

export function completedJob(given: Some<CompletedJob> = {}): CompletedJob {
  const completedAt = given.completedAt ?? instant(1_700_000_001_000);
  return { ...commonOf(given), status: "completed", completedAt, purgeAt: given.purgeAt ?? 1_700_000_100_000 };
}

export function deadJob(given: Some<DeadJob> = {}): DeadJob {
  const failedAt = given.failedAt ?? instant(1_700_000_001_000);
  const reason = given.reason ?? "retries_exhausted";
  return { ...commonOf(given), status: "dead", failedAt, reason, purgeAt: given.purgeAt ?? 1_700_000_100_000 };
}

export function payloadOf(text = '{"image":17}', format: Payload["format"] = "json"): Payload {
  return { format, bytes: Buffer.from(text) };
}

export function errorOf(attempt: number, given: Partial<ErrorRecord> = {}): ErrorRecord {
  return {
    attempt,
    message: `failure ${attempt}`,
    dequeuedAt: instant(1000 + attempt),
    failedAt: instant(2000 + attempt),
    ...given,
  };
}
