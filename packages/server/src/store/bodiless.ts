/**
 * Jobs without their payload. A large payload stands apart from its job and is written once, with the enqueue; the job's record
 * is written again by each failure. When enqueues are not synced and failures are, a power cut can take the first write and
 * leave the second: a job that nobody can run.
 */
import type { FinishedJob, ReadyJob, ScheduledJob } from "../job/job.ts";
import type { KvEntry, KvReader } from "../kv/kv.ts";
import { isUsable } from "./job-reader.ts";
import { decodeFinished, decodeLive, isApart } from "./job-record.ts";
import { idAfterTag, rangeOf, siblingKey, tagPrefix, tags } from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";

export type Bodiless =
  | { readonly kind: "live"; readonly job: ScheduledJob | ReadyJob }
  | { readonly kind: "finished"; readonly job: FinishedJob };

/** Payloads looked for at once: each may be as large as a payload may be. */
const readsMax = 16;

/** Every job without its payload, in small pages. */
export async function* bodilessIn(
  from: KvReader,
  quarantine: Quarantine,
): AsyncGenerator<readonly Bodiless[], void, undefined> {
  for (const tag of [tags.live, tags.finished]) {
    for await (const page of from.scan(rangeOf(tagPrefix(tag)))) {
      const apart = page.filter(([key, record]) => isUsable(quarantine, key, record) && isApart(record));
      for (let at = 0; at < apart.length; at += readsMax) {
        const entries = apart.slice(at, at + readsMax);
        const payloads = await from.getMany(entries.map(([key]) => siblingKey(tags.payload, key)));
        yield entries.filter((_, index) => payloads[index] === undefined).map((entry) => bodiless(tag, entry));
      }
    }
  }
}

function bodiless(tag: number, [key, record]: KvEntry): Bodiless {
  const id = idAfterTag(key);
  if (tag === tags.live) return { kind: "live", job: decodeLive(record, id) };
  return { kind: "finished", job: decodeFinished(record, id) };
}
