import { QueueError } from "@millrace/protocol/errors";
import type { JobSink } from "../../src/engine/session.ts";
import type { Ack, ErrorQuery, ListQuery, TakeRequest, Verbs } from "../../src/engine/verbs.ts";
import type { Failure, JobRequest } from "../../src/job/job.ts";
import type { JobFilter } from "../../src/job/job-filter.ts";
import { ID, jsonPayload, readyJob, scheduledJob } from "./job-fixtures.ts";

/** A stream that the fake engine was asked for. */
export interface FakeStream {
  readonly request: TakeRequest;
  readonly sink: JobSink;
  drained: number;
  closed: number;
}

/**
 * An engine that says yes to everything and remembers what it was asked. What a test sets replaces a verb.
 */
export class FakeVerbs implements Verbs {
  readonly enqueued: JobRequest[][] = [];
  readonly acks: Ack[] = [];
  readonly failures: { ack: Ack; failure: Failure }[] = [];
  readonly lists: ListQuery[] = [];
  readonly counts: JobFilter[] = [];
  readonly errorLists: ErrorQuery[] = [];
  readonly removed: string[] = [];
  readonly streams: FakeStream[] = [];
  #onStream: (() => void)[] = [];

  constructor(over: Partial<Verbs> = {}) {
    Object.assign(this, over);
  }

  async enqueue(requests: readonly JobRequest[]) {
    this.enqueued.push([...requests]);
    return requests.map(({ queue, type, priority, options }) => {
      return { job: readyJob({ queue, type, priority, options }), duplicate: false, folded: false };
    });
  }

  take(request: TakeRequest, sink: JobSink) {
    const stream: FakeStream = { request, sink, drained: 0, closed: 0 };
    this.streams.push(stream);
    for (const wake of this.#onStream.splice(0)) wake();
    return {
      drained: () => {
        stream.drained += 1;
        for (const wake of this.#onStream.splice(0)) wake();
      },
      close: () => {
        stream.closed += 1;
        for (const wake of this.#onStream.splice(0)) wake();
      },
    };
  }

  /** Resolves when `holds` does; looked at whenever something happens to a stream. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#onStream.push(resolve));
  }

  async succeed(ack: Ack) {
    this.acks.push(ack);
  }

  async succeedMany(acks: readonly Ack[]) {
    this.acks.push(...acks);
    return { notFound: [] as string[], stale: [] as string[] };
  }

  async fail(ack: Ack, failure: Failure) {
    this.failures.push({ ack, failure });
    return scheduledJob("retry", { attempts: 1 });
  }

  async get(id: string) {
    if (id !== ID) throw new QueueError("JOB_NOT_FOUND", `no job ${id}`);
    return { job: readyJob(), payload: jsonPayload({ image: 17 }) };
  }

  async remove(id: string) {
    this.removed.push(id);
  }

  async list(query: ListQuery) {
    this.lists.push(query);
    return { jobs: [] as Awaited<ReturnType<Verbs["list"]>>["jobs"], more: false };
  }

  async count(filter: JobFilter) {
    this.counts.push(filter);
    return 42;
  }

  async queues() {
    return ["a", "b"] as readonly string[];
  }

  async errors(_id: string, query: ErrorQuery) {
    this.errorLists.push(query);
    return { records: [] as Awaited<ReturnType<Verbs["errors"]>>["records"], more: false };
  }

  async error(_id: string, attempt: number): ReturnType<Verbs["error"]> {
    throw new QueueError("ATTEMPT_NOT_FOUND", `no attempt ${attempt}`);
  }
}
