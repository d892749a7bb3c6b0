/**
 * Decisions to operations, and records back to jobs: the only door to what is on disk. Methods that take a batch only add to
 * it; what they add is there when that batch is written. Methods that read take a snapshot to read from, by default what is
 * stored now. An unreadable record is as good as absent (`quarantine.ts`).
 */
import type { Instant, JobId } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import { idToBytes } from "../base/id-bytes.ts";
import { limits } from "../base/limits.ts";
import type { Logger } from "../base/logger.ts";
import type { ErrorRecord, FinishedJob, InFlightJob, LiveJob, Payload, ReadyJob, ScheduledJob } from "../job/job.ts";
import type { Kv, KvBatch, KvReader, KvSnapshot } from "../kv/kv.ts";
import { Aftermath } from "./aftermath.ts";
import { attemptDroppedBy, decodeError, encodeError } from "./error-record.ts";
import { putFinished, type Removable, removeErrors, removeFinished } from "./finished-operations.ts";
import { type FinishedQuery, finishedRecords } from "./finished-pages.ts";
import { type Beginning, beginLife } from "./format-guard.ts";
import { FreshPayloads } from "./fresh-payloads.ts";
import {
  apartPayload,
  payloadOf,
  readFinished,
  readLive,
  readRecord,
  type StoredFinished,
  type StoredLive,
} from "./job-reader.ts";
import { encodeJob, inlinePayload, isApart } from "./job-record.ts";
import { countKey, errorKey, type FinishedStatus, idKey, siblingKey, tags } from "./keyspace.ts";
import { Quarantine } from "./quarantine.ts";
import {
  type ClaimOfJob,
  claimsOfJobs,
  type ErrorsQuery,
  errorsOf,
  lastIdIn,
  liveJobs,
  type PurgeEntry,
  purgeEntries,
  type StoredCount,
  storedCounts,
} from "./scans.ts";
import { type Claim, encodeClaim, encodeNumber, encodePayload } from "./small-records.ts";

export interface StoreOptions {
  readonly now: Instant;
  readonly logger: Logger;
  /** Names the machine's boot; undefined = not known. */
  readonly boot?: string | undefined;
  /** Memory for payloads that were just enqueued, bytes; default none. */
  readonly freshBytesMax?: number | undefined;
}

export class Store {
  /** Of this life; an integer that grows with every start. */
  readonly epoch: number;
  /** What a power cut may have left behind. */
  readonly aftermath: Aftermath;
  readonly #kv: Kv;
  readonly #quarantine: Quarantine;
  readonly #fresh: FreshPayloads;
  /** Live jobs whose payload stands apart: complete once all live jobs were scanned. */
  readonly #apart = new Set<JobId>();
  /** Spells the key of a read that is over before anybody else could want it. */
  readonly #readKey = Buffer.alloc(17);

  private constructor(kv: Kv, quarantine: Quarantine, beginning: Beginning, options: StoreOptions) {
    this.#kv = kv;
    this.#fresh = new FreshPayloads(options.freshBytesMax ?? 0);
    this.#quarantine = quarantine;
    this.epoch = beginning.epoch;
    this.aftermath = new Aftermath({
      kv,
      quarantine,
      mayHaveLostWrites: beginning.mayHaveLostWrites,
      boot: options.boot,
    });
  }

  /**
   * Begins a life on a store; a fresh one becomes ours.
   * @throws QueueError STORAGE_UNAVAILABLE when its format is another one than ours, or it cannot be read or written
   */
  static async open(kv: Kv, options: StoreOptions): Promise<Store> {
    const quarantine = new Quarantine(options.logger);
    const beginning = await beginLife(kv, quarantine, options.now, options.boot);
    return new Store(kv, quarantine, beginning, options);
  }

  /** Unreadable records met in this life. */
  get unreadable(): number {
    return this.#quarantine.size;
  }

  /** A new job. */
  putLive(batch: KvBatch, job: ScheduledJob | ReadyJob, payload: Payload): void {
    const key = idKey(tags.live, job.id);
    const apart = payload.bytes.length > limits.inlinePayloadBytesMax;
    batch.put(key, encodeJob(job, payload, apart, key));
    this.#fresh.add(job.id, payload);
    if (!apart) return;
    const payloadKey = siblingKey(tags.payload, key);
    batch.put(payloadKey, encodePayload(payload, payloadKey));
    this.#apart.add(job.id);
  }

  /**
   * New values of a job that nobody holds; its payload stays where it is. Reads the job's record.
   * @returns false, with nothing added, when that record is unreadable
   */
  rewriteLive(batch: KvBatch, job: ScheduledJob | ReadyJob): boolean {
    const key = idKey(tags.live, job.id);
    const record = readRecord(this.#kv, this.#quarantine, key);
    if (record === undefined) return false;
    batch.put(key, encodeJob(job, inlinePayload(record), isApart(record), key));
    return true;
  }

  /** A worker holds the job. */
  putClaim(batch: KvBatch, job: InFlightJob): void {
    const { dequeuedAt, lost, delivery } = job;
    this.#putClaim(batch, job.id, { held: true, dequeuedAt, lost, delivery });
  }

  /** Nobody holds the job any more; when it was taken last, and how often its worker vanished, outlive that. */
  giveBack(batch: KvBatch, job: Pick<ReadyJob, "id" | "dequeuedAt" | "lost">): void {
    const { dequeuedAt, lost } = job;
    invariant(dequeuedAt !== undefined, "a job was given back that nobody had taken");
    this.#putClaim(batch, job.id, { held: false, dequeuedAt, lost, delivery: undefined });
  }

  /** {@link giveBack} of a claim that an earlier life left. */
  giveBackAtStart(batch: KvBatch, id: JobId, claim: Claim): void {
    this.#putClaim(batch, id, { ...claim, held: false, delivery: undefined });
  }

  /** The job's record has taken over what its claim knew. */
  dropClaim(batch: KvBatch, id: JobId): void {
    batch.del(idKey(tags.claim, id));
  }

  /** A live job goes with all its records. */
  removeLive(batch: KvBatch, job: LiveJob): void {
    if (job.dequeuedAt === undefined) this.#fresh.take(job.id);
    const key = idKey(tags.live, job.id);
    batch.del(key);
    // A job that was never taken has no claim.
    if (job.dequeuedAt !== undefined) batch.del(siblingKey(tags.claim, key));
    if (this.#apart.delete(job.id)) batch.del(siblingKey(tags.payload, key));
    removeErrors(batch, job.id, job.attempts);
  }

  /**
   * A live job is over and is kept. Its payload and errors stay. Reads the job's record.
   * @returns false, with nothing added, when that record is unreadable
   */
  finish(batch: KvBatch, live: LiveJob, finished: FinishedJob): boolean {
    const { purgeAt } = finished;
    invariant(purgeAt !== undefined, "a job without retention was kept");
    const key = idKey(tags.live, live.id);
    const record = readRecord(this.#kv, this.#quarantine, key);
    if (record === undefined) return false;
    batch.del(key);
    if (live.dequeuedAt !== undefined) batch.del(siblingKey(tags.claim, key));
    putFinished(batch, finished, purgeAt, record);
    this.#apart.delete(live.id);
    return true;
  }

  /** A finished job goes with all its records. */
  removeFinished(batch: KvBatch, job: Removable): void {
    removeFinished(batch, job);
  }

  /** A finished job goes whose record is gone or unreadable: what is left of it, as its purge mark knows it. */
  dropPurge(batch: KvBatch, entry: PurgeEntry): void {
    removeFinished(batch, entry);
  }

  /** One more failed attempt, with the number that the job's attempts have now. */
  putError(batch: KvBatch, id: JobId, record: ErrorRecord): void {
    const key = errorKey(id, record.attempt);
    batch.put(key, encodeError(record, key));
    const dropped = attemptDroppedBy(record.attempt);
    if (dropped !== undefined) batch.del(errorKey(id, dropped));
  }

  /** How many finished jobs there are of one kind, once the batch is written. */
  putCount(batch: KvBatch, status: FinishedStatus, queue: string, type: string, count: number): void {
    const key = countKey(status, queue, type);
    if (count === 0) batch.del(key);
    else batch.put(key, encodeNumber(count, key));
  }

  /**
   * The payload of a job that is handed out, now, without giving way: from memory the first time, if it is fresh, else one
   * read of the store for a job that is small.
   */
  payloadToSend(id: JobId): Payload | undefined {
    return this.#fresh.take(id) ?? this.payload(id);
  }

  /** The payload of a job in any status, now, without giving way: one read for a job that is small and live. */
  payload(id: JobId): Payload | undefined {
    const key = this.#readKey;
    idToBytes(id, key, 1);
    if (this.#apart.has(id)) {
      key[0] = tags.payload;
      return apartPayload(this.#kv, this.#quarantine, key);
    }
    for (const tag of [tags.live, tags.finished]) {
      key[0] = tag;
      const record = readRecord(this.#kv, this.#quarantine, key);
      if (record !== undefined) return payloadOf(this.#kv, this.#quarantine, key, record);
    }
    return undefined;
  }

  /** A live job as its record says: as if nobody had taken it since that was written. */
  live(id: JobId, at: KvReader = this.#kv): StoredLive | undefined {
    return readLive(at, this.#quarantine, id);
  }

  finished(id: JobId, at: KvReader = this.#kv): StoredFinished | undefined {
    return readFinished(at, this.#quarantine, id);
  }

  /** Finished jobs that a filter means, in id order, with their payloads; stop when you have enough. */
  async *finishedPages(query: FinishedQuery, at: KvReader = this.#kv): AsyncGenerator<StoredFinished, void, undefined> {
    for await (const { job, key, record } of finishedRecords(at, this.#quarantine, query)) {
      const payload = payloadOf(at, this.#quarantine, key, record);
      if (payload !== undefined) yield { job, payload };
    }
  }

  /** {@link finishedPages} for who needs no payloads: those that stand apart are not read. */
  async *finishedJobs(query: FinishedQuery, at: KvReader = this.#kv): AsyncGenerator<FinishedJob, void, undefined> {
    for await (const { job } of finishedRecords(at, this.#quarantine, query)) yield job;
  }

  /** Failed attempts of a job, by attempt, at most `limit`. */
  errors(id: JobId, query: ErrorsQuery, at: KvReader = this.#kv): Promise<ErrorRecord[]> {
    return errorsOf(at, this.#quarantine, id, query);
  }

  error(id: JobId, attempt: number, at: KvReader = this.#kv): ErrorRecord | undefined {
    const key = errorKey(id, attempt);
    const record = at.get(key);
    return record === undefined ? undefined : this.#quarantine.admit(key, decodeError(record, key, attempt));
  }

  /** All live jobs in id order, each as its record says: a claim may say that it was taken since. */
  scanLive(at: KvReader = this.#kv): AsyncIterable<readonly (ScheduledJob | ReadyJob)[]> {
    return liveJobs(at, this.#quarantine, (id) => this.#apart.add(id));
  }

  scanClaims(at: KvReader = this.#kv): AsyncIterable<readonly ClaimOfJob[]> {
    return claimsOfJobs(at, this.#quarantine);
  }

  scanCounts(at: KvReader = this.#kv): AsyncIterable<StoredCount> {
    return storedCounts(at, this.#quarantine);
  }

  /** Finished jobs in the order in which their retention ends, up to an instant, inclusive; behind `after`. */
  scanPurge(upTo: Instant, after?: Pick<PurgeEntry, "purgeAt" | "id">): AsyncIterable<readonly PurgeEntry[]> {
    return purgeEntries(this.#kv, this.#quarantine, upTo, after);
  }

  /** The largest id that any job has, live or finished. */
  lastId(): Promise<JobId | undefined> {
    return lastIdIn(this.#kv);
  }

  /** What is stored at this instant; must be closed. */
  snapshot(): KvSnapshot {
    return this.#kv.snapshot();
  }

  close(): Promise<void> {
    return this.#kv.close();
  }

  #putClaim(batch: KvBatch, id: JobId, claim: Claim): void {
    const key = idKey(tags.claim, id);
    batch.put(key, encodeClaim(claim, key));
  }
}
