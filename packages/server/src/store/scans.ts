/** Whole ranges in order: what a start reads to fill memory, and what the janitor walks. Unreadable records are passed over. */
import type { Instant, JobId, U64 } from "@millrace/protocol/ids";
import type { ErrorRecord, ReadyJob, ScheduledJob } from "../job/job.ts";
import type { KvReader } from "../kv/kv.ts";
import { decodeError } from "./error-record.ts";
import { isUsable } from "./job-reader.ts";
import { decodeLive, isApart } from "./job-record.ts";
import {
  attemptOf,
  behind,
  errorKey,
  type FinishedStatus,
  idAfterTag,
  idAtEnd,
  idKey,
  purgeAtOf,
  purgeRange,
  rangeOf,
  readCountKey,
  siblingKey,
  tagPrefix,
  tags,
} from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";
import { type Claim, decodeClaim, decodeNumber, decodePurgeMark, type PurgeMark } from "./small-records.ts";
import type { Order } from "./sorted-ids.ts";

type Pages<T> = AsyncGenerator<readonly T[], void, undefined>;

/** @param onApart hears of each job whose payload stands apart, before its page comes */
export async function* liveJobs(
  from: KvReader,
  quarantine: Quarantine,
  onApart: (id: JobId) => void,
): Pages<ScheduledJob | ReadyJob> {
  for await (const page of from.scan(rangeOf(tagPrefix(tags.live)))) {
    const jobs: (ScheduledJob | ReadyJob)[] = [];
    for (const [key, record] of page) {
      if (!isUsable(quarantine, key, record)) continue;
      const job = decodeLive(record, idAfterTag(key));
      if (isApart(record)) onApart(job.id);
      jobs.push(job);
    }
    yield jobs;
  }
}

export interface ClaimOfJob {
  readonly id: JobId;
  readonly claim: Claim;
}

export async function* claimsOfJobs(from: KvReader, quarantine: Quarantine): Pages<ClaimOfJob> {
  for await (const page of from.scan(rangeOf(tagPrefix(tags.claim)))) {
    yield page.flatMap(([key, record]) => {
      const claim = quarantine.admit(key, decodeClaim(record, key));
      return claim === undefined ? [] : [{ id: idAfterTag(key), claim }];
    });
  }
}

/** How many finished jobs one status, queue and type have on disk. */
export interface StoredCount {
  readonly status: FinishedStatus;
  readonly queue: string;
  readonly type: string;
  readonly count: number;
}

export async function* storedCounts(
  from: KvReader,
  quarantine: Quarantine,
): AsyncGenerator<StoredCount, void, undefined> {
  for await (const page of from.scan(rangeOf(tagPrefix(tags.count)))) {
    for (const [key, record] of page) {
      const count = quarantine.admit(key, decodeNumber(record, key));
      const parts = readCountKey(key);
      if (count !== undefined && parts !== undefined) yield { ...parts, count };
    }
  }
}

/** A finished job whose retention is known to end, with what its deletion needs. */
export interface PurgeEntry extends PurgeMark {
  readonly purgeAt: U64;
  readonly id: JobId;
}

/** Finished jobs in the order in which their retention ends, up to an instant, inclusive. */
export async function* purgeEntries(
  from: KvReader,
  quarantine: Quarantine,
  upTo: Instant,
  after: Pick<PurgeEntry, "purgeAt" | "id"> | undefined,
): Pages<PurgeEntry> {
  for await (const page of from.scan(purgeRange(upTo, after))) {
    yield page.flatMap(([key, record]) => {
      const mark = quarantine.admit(key, decodePurgeMark(record, key));
      return mark === undefined ? [] : [{ ...mark, purgeAt: purgeAtOf(key), id: idAtEnd(key) }];
    });
  }
}

export interface ErrorsQuery {
  /** An attempt, exclusive, in the order asked for. */
  readonly from?: number | undefined;
  readonly order: Order;
  readonly limit: number;
}

/** Failed attempts of one job, by attempt. */
export async function errorsOf(
  from: KvReader,
  quarantine: Quarantine,
  id: JobId,
  query: ErrorsQuery,
): Promise<ErrorRecord[]> {
  const all = rangeOf(siblingKey(tags.error, idKey(tags.live, id)));
  const isReverse = query.order === "desc";
  const place = query.from === undefined ? undefined : errorKey(id, query.from);
  const gte = isReverse || place === undefined ? all.gte : behind(place);
  const lt = isReverse && place !== undefined ? place : all.lt;
  const records: ErrorRecord[] = [];
  for await (const page of from.scan({ gte, lt, reverse: isReverse })) {
    for (const [key, record] of page) {
      const error = quarantine.admit(key, decodeError(record, key, attemptOf(key)));
      if (error !== undefined) records.push(error);
      if (records.length === query.limit) return records;
    }
  }
  return records;
}

/** The largest id that any job has. */
export async function lastIdIn(from: KvReader): Promise<JobId | undefined> {
  let last: JobId | undefined;
  for (const tag of [tags.live, tags.finished]) {
    for await (const page of from.scan({ ...rangeOf(tagPrefix(tag)), reverse: true, limit: 1 })) {
      for (const [key] of page) if (last === undefined || idAfterTag(key) > last) last = idAfterTag(key);
    }
  }
  return last;
}
