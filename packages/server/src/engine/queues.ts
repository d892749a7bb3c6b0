import type { Core } from "./core.ts";

/** Names of all queues that hold a job of any status now, in bytewise order. A name goes with its last job. */
export async function queues(core: Core): Promise<readonly string[]> {
  if (!core.gate.isOpen) await core.gate.whenOpen();
  await core.janitor.sweep();
  const names = [...core.indexes.queueNames()];
  await core.committer.settled();
  return names
    .map((name) => ({ name, bytes: Buffer.from(name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ name }) => name);
}
