import type { QueueError } from "@millrace/protocol/errors";
import type { JobRequest } from "../job/job.ts";
import { admit } from "../job/transitions.ts";
import type { Core } from "./core.ts";
import { notReady } from "./gate.ts";
import type { Enqueued } from "./verbs.ts";

/**
 * Admits one job or many, all or nothing: one decision, one member of one write. The jobs enter the indexes, and the caller
 * hears of them, when that write is durable (R3). Passes while memory is being rebuilt: new ids are above all stored ones.
 */
export async function enqueue(core: Core, requests: readonly JobRequest[]): Promise<readonly Enqueued[]> {
  core.gate.assertAccepting();
  if (core.publication.isFull) throw notReady();
  if (requests.length === 0) return [];
  const now = core.clock.now();
  const batch = core.committer.stage();
  const admitted: Enqueued[] = [];
  for (const request of requests) {
    const job = admit(request, core.ids.next(), now);
    core.store.putLive(batch, job, request.payload);
    admitted.push({ job, duplicate: false, folded: false });
  }
  return await new Promise<readonly Enqueued[]>((resolve, reject: (error: QueueError) => void) => {
    core.committer.join(core.enqueueDurability, {
      durable() {
        for (const { job } of admitted)
          if (job.status === "ready" || job.status === "scheduled") core.publication.publish(job);
        resolve(admitted);
      },
      refused: reject,
    });
  });
}
