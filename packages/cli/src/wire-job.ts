import type { EnqueuedJob, Job, JobInfo } from "@millrace/client/job";
import type { JobView } from "@millrace/protocol/job-view";

/** A job as the HTTP API shows it: what the client gave its own names to gets back those of the wire. */
export function wireJob(job: JobInfo | Job | EnqueuedJob): JobView {
  const { backoff, retention } = job;
  return {
    id: job.id,
    type: job.type,
    queue: job.queue,
    priority: job.priority,
    status: job.status,
    ...("payload" in job ? { payload: job.payload } : undefined),
    ready_at: job.readyAt,
    attempts: job.attempts,
    ...given("retry_limit", job.retryLimit),
    ...(backoff === undefined
      ? undefined
      : { backoff: { exponent: backoff.exponent, base_ms: backoff.baseMs, jitter_ms: backoff.jitterMs } }),
    ...given("dequeued_at", job.dequeuedAt),
    ...given("failed_at", job.failedAt),
    ...(retention === undefined
      ? undefined
      : { retention: { ...given("completed_ms", retention.completedMs), ...given("dead_ms", retention.deadMs) } }),
    ...given("purge_at", job.purgeAt),
    ...given("completed_at", job.completedAt),
    ...("duplicate" in job ? { duplicate: job.duplicate, folded: job.folded } : undefined),
    ...given("phase", job.phase),
    ...given("reason", job.reason),
    ...given("lost", job.lost),
  };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value });
}
