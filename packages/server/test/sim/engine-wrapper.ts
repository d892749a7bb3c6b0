import type { JobSink } from "../../src/engine/session.ts";
import type * as verbs from "../../src/engine/verbs.ts";
import type { ErrorRecord, Failure, Job, JobRequest } from "../../src/job/job.ts";
import type { JobFilter } from "../../src/job/job-filter.ts";
import type { SimEngine } from "./sim-engine.ts";

/** An engine that does what another one does; a planted fault overrides what it breaks. */
export class EngineWrapper implements SimEngine {
  protected readonly inner: SimEngine;

  constructor(inner: SimEngine) {
    this.inner = inner;
  }

  get ready(): Promise<void> {
    return this.inner.ready;
  }

  stop(): Promise<void> {
    return this.inner.stop();
  }

  verify(): Promise<readonly string[]> {
    return this.inner.verify();
  }

  enqueue(requests: readonly JobRequest[]): Promise<readonly verbs.Enqueued[]> {
    return this.inner.enqueue(requests);
  }

  take(request: verbs.TakeRequest, sink: JobSink): verbs.TakeStream {
    return this.inner.take(request, sink);
  }

  succeed(ack: verbs.Ack): Promise<void> {
    return this.inner.succeed(ack);
  }

  succeedMany(acks: readonly verbs.Ack[]): Promise<verbs.SettleReport> {
    return this.inner.succeedMany(acks);
  }

  fail(ack: verbs.Ack, failure: Failure): Promise<Job> {
    return this.inner.fail(ack, failure);
  }

  get(id: string): Promise<verbs.JobSnapshot> {
    return this.inner.get(id);
  }

  remove(id: string): Promise<void> {
    return this.inner.remove(id);
  }

  list(query: verbs.ListQuery): Promise<verbs.ListPage> {
    return this.inner.list(query);
  }

  count(filter: JobFilter): Promise<number> {
    return this.inner.count(filter);
  }

  queues(): Promise<readonly string[]> {
    return this.inner.queues();
  }

  errors(id: string, query: verbs.ErrorQuery): Promise<verbs.ErrorPage> {
    return this.inner.errors(id, query);
  }

  error(id: string, attempt: number): Promise<ErrorRecord> {
    return this.inner.error(id, attempt);
  }
}
