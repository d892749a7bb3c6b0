/**
 * Records whose job is gone. A power cut may lose writes that were not synced, even older ones than some that stay, so a claim,
 * an error or a payload may be left without its job; nothing leads to it any more, and it can be dropped at any time, since no
 * job ever takes an id again. A job whose record is unreadable still is there: what belongs to it is no orphan.
 */
import type { JobId } from "@millrace/protocol/ids";
import type { KvReader } from "../kv/kv.ts";
import { idAfterTag, rangeOf, siblingKey, tagPrefix, tags } from "./keyspace.ts";

/** A key without a job. */
export interface Orphan {
  readonly id: JobId;
  readonly kind: "claim" | "error" | "payload";
  readonly key: Buffer;
}

/** Every orphan, page by page; pages may be empty. */
export async function* orphansIn(from: KvReader): AsyncGenerator<readonly Orphan[], void, undefined> {
  for (const kind of ["claim", "error", "payload"] as const) {
    for await (const page of from.scan(rangeOf(tagPrefix(tags[kind])))) {
      const keys = page.map(([key]) => key);
      // A claim belongs to a live job alone; errors and payloads stay with one that is over.
      const hasJob = await Promise.all([
        holds(from, tags.live, keys),
        kind === "claim" ? undefined : holds(from, tags.finished, keys),
      ]);
      yield keys.flatMap((key, index) =>
        hasJob.some((found) => found?.[index] === true) ? [] : [{ id: idAfterTag(key), kind, key }],
      );
    }
  }
}

async function holds(from: KvReader, tag: typeof tags.live | typeof tags.finished, keys: readonly Buffer[]) {
  const records = await from.getMany(keys.map((key) => siblingKey(tag, key.subarray(0, 17))));
  return records.map((record) => record !== undefined);
}
