import { type DeliveryToken, instant, type JobId, type QueueName, type TypeName } from "@millrace/protocol/ids";
import type {
  CompletedJob,
  DeadJob,
  InFlightJob,
  JobCommon,
  Payload,
  ReadyJob,
  ScheduledJob,
} from "../../src/job/job.ts";

export const ID = "03fr82s077azjmurys29qjch4" as JobId;

function common(over: Partial<JobCommon>): JobCommon {
  return {
    id: ID,
    queue: "media" as QueueName,
    type: "thumbnail" as TypeName,
    priority: 32768,
    readyAt: 1773464269527,
    attempts: 0,
    lost: 0,
    dequeuedAt: undefined,
    failedAt: undefined,
    options: {},
    ...over,
  };
}

export function readyJob(over: Partial<JobCommon> = {}): ReadyJob {
  return { ...common(over), status: "ready" };
}

export function scheduledJob(because: "delay" | "retry", over: Partial<JobCommon> = {}): ScheduledJob {
  return { ...common(over), status: "scheduled", because };
}

export function inFlightJob(over: Partial<JobCommon> & { delivery?: string } = {}): InFlightJob {
  const { delivery = "d7Qm2x0aK", ...rest } = over;
  const dequeuedAt = instant(1773464270001);
  return { ...common(rest), dequeuedAt, status: "in_flight", delivery: delivery as DeliveryToken };
}

export function completedJob(over: Partial<CompletedJob> = {}): CompletedJob {
  const at = instant(1773464271000);
  return { ...common(over), status: "completed", completedAt: at, purgeAt: undefined, ...over };
}

export function deadJob(over: Partial<DeadJob> = {}): DeadJob {
  const failedAt = instant(1773464272000);
  return { ...common(over), status: "dead", reason: "killed", purgeAt: undefined, failedAt, ...over };
}

export function jsonPayload(value: unknown): Payload {
  return { format: "json", bytes: Buffer.from(JSON.stringify(value)) };
}
