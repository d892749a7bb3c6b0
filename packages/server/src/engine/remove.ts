import { QueueError } from "@millrace/protocol/errors";
import { parseJobId } from "@millrace/protocol/ids";
import type { Core } from "./core.ts";

/** Deletes a job in any status, with all its records. The slot of a job in flight is freed; its worker is not told. */
export async function remove(core: Core, text: string): Promise<void> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  core.gate.assertAccepting();
  const id = parseJobId(text);
  const slot = id === undefined ? -1 : core.indexes.find(id);
  if (slot >= 0) {
    const job = core.indexes.read(slot);
    if (job.status === "in_flight") core.dispatcher.slotFreed(core.indexes.sessionOf(slot));
    core.store.removeLive(core.committer.stage(), job);
    core.indexes.remove(slot);
  } else {
    const job = id === undefined ? undefined : core.finished.find(id, core.clock.now());
    if (job === undefined) {
      await core.committer.settled();
      throw new QueueError("JOB_NOT_FOUND", `there is no job ${text}`);
    }
    core.finished.drop(core.committer.stage(), job);
  }
  const durable = core.committer.commit(core.durability);
  core.dispatcher.pump();
  await durable;
}
