/**
 * What the doors (http, the simulation) may ask of the engine: one method a verb, arrays in and arrays out. Every promise
 * settles, in failure with a QueueError: NOT_READY (memory is still being rebuilt after 10 s), SHUTTING_DOWN,
 * STORAGE_UNAVAILABLE (the write failed: whether it happened is not known), or what the method names.
 * Nothing is answered before what it says is durable (R3).
 */
import type { DeliveryToken } from "@millrace/protocol/ids";
import type { ErrorRecord, Failure, Job, JobRequest, Payload } from "../job/job.ts";
import type { JobFilter } from "../job/job-filter.ts";
import type { JobSink } from "./session.ts";

export interface Verbs {
  /** Admits one job or many, all or nothing. Answers in the order of the requests; ids strictly increase. */
  enqueue(requests: readonly JobRequest[]): Promise<readonly Enqueued[]>;
  /** Opens a worker's stream. It is accepted at any time; jobs come when memory is rebuilt. */
  take(request: TakeRequest, sink: JobSink): TakeStream;
  /** Settles one delivery as done. JOB_NOT_FOUND, JOB_NOT_IN_FLIGHT, STALE_DELIVERY. */
  succeed(ack: Ack): Promise<void>;
  /** Settles many; what cannot be settled is reported, the rest is done. Repeated ids collapse, the first counts. */
  succeedMany(acks: readonly Ack[]): Promise<SettleReport>;
  /** Settles one delivery as failed; answers the job in its new state. JOB_NOT_FOUND, JOB_NOT_IN_FLIGHT, STALE_DELIVERY. */
  fail(ack: Ack, failure: Failure): Promise<Job>;
  /** JOB_NOT_FOUND also for a finished job past its retention. */
  get(id: string): Promise<JobSnapshot>;
  /** Deletes a job in any status. JOB_NOT_FOUND. */
  remove(id: string): Promise<void>;
  list(query: ListQuery): Promise<ListPage>;
  count(filter: JobFilter): Promise<number>;
  /** Names of all queues that hold a job now, in bytewise order. */
  queues(): Promise<readonly string[]>;
  /** Failed attempts of a job, by attempt. JOB_NOT_FOUND. */
  errors(id: string, query: ErrorQuery): Promise<ErrorPage>;
  /** JOB_NOT_FOUND, ATTEMPT_NOT_FOUND. */
  error(id: string, attempt: number): Promise<ErrorRecord>;
}

export interface Enqueued {
  readonly job: Job;
  readonly duplicate: boolean;
  readonly folded: boolean;
}

export interface TakeRequest {
  /** Undefined = all queues. */
  readonly queues: readonly string[] | undefined;
  /** Most unfinished jobs on this stream; 0 = no limit of its own. */
  readonly prefetch: number;
  /** For logs only. */
  readonly workerId: string;
}

/** The door's handle on its session. */
export interface TakeStream {
  /** The socket can take more, after `send()` answered false. */
  drained(): void;
  /** The peer is gone: what it holds is ready again at once. Calling it twice is fine. */
  close(): void;
}

export interface Ack {
  /** As sent; its form is not checked. */
  readonly id: string;
  readonly delivery?: DeliveryToken | undefined;
}

export interface SettleReport {
  /** In request order. */
  readonly notFound: readonly string[];
  readonly stale: readonly string[];
}

export interface JobSnapshot {
  readonly job: Job;
  readonly payload: Payload;
}

export interface ListQuery {
  readonly filter: JobFilter;
  /** Exclusive; any text, compared bytewise with ids. */
  readonly from?: string | undefined;
  readonly order: "asc" | "desc";
  /** 1 to 2000. */
  readonly limit: number;
}

export interface ListPage {
  readonly jobs: readonly JobSnapshot[];
  /** Whether at least one more row matches. */
  readonly more: boolean;
}

export interface ErrorQuery {
  /** An attempt, exclusive. */
  readonly from?: number | undefined;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

export interface ErrorPage {
  readonly records: readonly ErrorRecord[];
  readonly more: boolean;
}
