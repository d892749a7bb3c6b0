/**
 * Memory's picture of all live jobs, and the only way to change it: a change goes through every structure in one call, so
 * that no two of them can disagree. Everything is synchronous and never waits (R1); the store can rebuild all of it (R5).
 *
 *   JobTable ─ what each job is          ReadyIndex ─ what runs next      ScheduledIndex ─ what is due next
 *   Catalogue ─ jobs in id order         InFlightIndex ─ who has what     FinishedCounts ─ how many are over and kept
 */
import type { DeliveryToken, JobId } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import type { InFlightJob, LiveJob } from "../job/job.ts";
import type { JobFilter } from "../job/job-filter.ts";
import { compareWithStore, tableFaults } from "./audit.ts";
import { Catalogue } from "./catalogue.ts";
import { type CountedFilter, countLive, FinishedCounts } from "./counters.ts";
import { InFlightIndex } from "./in-flight-index.ts";
import type { LiveStatus } from "./job-rows.ts";
import { JobTable, type Slot } from "./job-table.ts";
import { ReadyIndex } from "./ready-index.ts";
import { ScheduledIndex } from "./scheduled-index.ts";
import { type CountSlice, countSlice, type Order, select } from "./selection.ts";

/** Complaints of one audit; more say nothing new. */
const complaintsMax = 100;

export class Indexes {
  readonly finishedCounts = new FinishedCounts();
  readonly #table = new JobTable();
  readonly #ready = new ReadyIndex(this.#table.rows);
  readonly #scheduled = new ScheduledIndex(this.#table.rows);
  readonly #inFlight = new InFlightIndex(this.#table);
  readonly #catalogue = new Catalogue(this.#table.rows);
  readonly #sources = {
    table: this.#table,
    catalogue: this.#catalogue,
    scheduled: this.#scheduled,
    inFlight: this.#inFlight,
  };

  /** Live jobs. */
  get size(): number {
    return this.#table.size;
  }

  /** Takes in a job that memory did not know: new, or read from the store. */
  publish(job: LiveJob): Slot {
    invariant(job.status !== "in_flight", "a job entered memory in flight");
    const slot = this.#table.insert(job);
    this.#catalogue.add(slot);
    this.#enter(slot, job.status);
    return slot;
  }

  /**
   * New values for a job, with any live status, of the same id. A ready job is handed out by {@link claim} only; one that
   * stays in flight stays with its session.
   */
  change(slot: Slot, job: LiveJob): void {
    const status = this.#table.status(slot);
    invariant(job.status !== "in_flight" || status === "in_flight", "a job came in flight without a session");
    if (job.status === status && this.#keepsPlace(slot, job)) {
      this.#table.write(slot, job);
      return;
    }
    this.#leave(slot, status);
    this.#table.write(slot, job);
    this.#enter(slot, job.status);
  }

  /** Hands a ready job to a session. */
  claim(slot: Slot, job: InFlightJob, session: number): void {
    invariant(this.#table.status(slot) === "ready", "a job was claimed that is not ready");
    this.#ready.remove(slot, this.#table.queueNumber(slot));
    this.#table.write(slot, job);
    this.#inFlight.add(slot, session);
  }

  /** The job is over, or deleted: out of everything. The slot is void from now on. */
  remove(slot: Slot): void {
    this.#leave(slot, this.#table.status(slot));
    this.#catalogue.remove(slot);
    this.#table.remove(slot);
  }

  /** -1 = no live job has this id. */
  find(id: JobId): Slot {
    return this.#table.find(id);
  }

  /** The job as a value; `readyAt` is clamped to 2^53 - 1. */
  read(slot: Slot): LiveJob {
    return this.#table.read(slot);
  }

  status(slot: Slot): LiveStatus {
    return this.#table.status(slot);
  }

  /** Lowest priority, then smallest id, over the union of these queues (undefined = all); -1 = none. It stays where it is. */
  bestReady(queues: readonly string[] | undefined): Slot {
    if (queues === undefined) return this.#ready.best;
    let best: Slot = -1;
    for (const name of queues) {
      const queue = this.#table.kinds.queues.get(name);
      const slot = queue === undefined ? -1 : this.#ready.bestOf(queue.number);
      if (slot >= 0 && (best < 0 || this.#table.rows.runsBefore(slot, best))) best = slot;
    }
    return best;
  }

  hasReady(queues: readonly string[] | undefined): boolean {
    return this.bestReady(queues) >= 0;
  }

  /** The session that has a job in flight; -1 = nobody has it. */
  sessionOf(slot: Slot): number {
    return this.#table.session(slot);
  }

  /** Whether the slot still holds this very delivery to this session; any slot that ever was may be asked about. */
  holds(session: number, slot: Slot, delivery: DeliveryToken): boolean {
    return session >= 0 && this.#table.session(slot) === session && this.#table.delivery(slot) === delivery;
  }

  /** What a session has in flight, in the order of claim; void after the next change. */
  heldBy(session: number): Iterable<Slot> {
    return this.#inFlight.heldBy(session);
  }

  heldCount(session: number): number {
    return this.#inFlight.heldCount(session);
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** The scheduled job with the earliest time, then the smallest id; `at` in milliseconds, clamped to 2^53 - 1. */
  firstDue(): { readonly slot: Slot; readonly at: number } | undefined {
    const slot = this.#scheduled.first;
    return slot < 0 ? undefined : { slot, at: this.#table.rows.readyAt(slot) };
  }

  /**
   * Live jobs in the order of their ids; void after the next change.
   * @param after 16 bytes of an id, exclusive; undefined = from the beginning of that order
   */
  *walk(after: Uint8Array | undefined, order: Order): Generator<Slot> {
    const cursor = this.#catalogue.cursor(after, order);
    for (let slot = cursor.next(); slot >= 0; slot = cursor.next()) yield slot;
  }

  /** As {@link walk}, only what the filter means. Due times beyond 2^53 - 1 are all alike to it. */
  select(filter: JobFilter, after: Uint8Array | undefined, order: Order): Iterable<Slot> {
    return select(this.#sources, filter, after, order);
  }

  /** The number of live jobs by status, queue and type; from counters, never a scan. */
  countLive(filter: CountedFilter): number {
    return countLive(this.#table.kinds, filter);
  }

  /** Counts what any filter means among the next `rowsMax` live jobs after the bound `after`. */
  countSlice(filter: JobFilter, after: Uint8Array | undefined, rowsMax: number): CountSlice {
    return countSlice(this.#sources, filter, after, rowsMax);
  }

  /** Names of queues that have a job, live or finished; each once, in no particular order. */
  queueNames(): Iterable<string> {
    return new Set([...this.#table.kinds.queues.keys(), ...this.finishedCounts.queueNames()]);
  }

  /**
   * R5: compares everything with the live jobs that the store has, and every structure with every other. In flight counts as
   * ready, since the store does not say who has a job. Takes as long as a rebuild.
   * @returns complaints, at most 100; none = all is well
   */
  verify(jobs: Iterable<LiveJob>): string[] {
    const complaints: string[] = [];
    for (const complaint of this.#complaints(jobs)) {
      complaints.push(complaint);
      if (complaints.length === complaintsMax) break;
    }
    return complaints;
  }

  *#complaints(jobs: Iterable<LiveJob>): Generator<string> {
    yield* compareWithStore(this.#table, jobs);
    yield* tableFaults(this.#table);
    yield* this.#ready.faults((slot) => this.#table.queueNumber(slot));
    yield* this.#scheduled.faults();
    yield* this.#inFlight.faults();
    yield* this.#catalogue.faults();
    const placed = this.#ready.size + this.#scheduled.size + this.#inFlight.size;
    if (placed !== this.#table.size) yield `${placed} jobs are in an index, ${this.#table.size} in the table`;
  }

  /** Whether the index that holds the job need not hear of its new values. */
  #keepsPlace(slot: Slot, job: LiveJob): boolean {
    const { rows, kinds } = this.#table;
    switch (job.status) {
      case "in_flight":
        return true;
      case "scheduled":
        return rows.readyAt(slot) === clampU64(job.readyAt);
      case "ready":
        return rows.priority(slot) === job.priority && kinds.at(rows.kind(slot)).queue.name === job.queue;
    }
  }

  #enter(slot: Slot, status: LiveStatus): void {
    if (status === "ready") this.#ready.add(slot, this.#table.queueNumber(slot));
    else if (status === "scheduled") this.#scheduled.add(slot);
  }

  #leave(slot: Slot, status: LiveStatus): void {
    switch (status) {
      case "ready":
        this.#ready.remove(slot, this.#table.queueNumber(slot));
        return;
      case "scheduled":
        this.#scheduled.remove(slot);
        return;
      case "in_flight":
        this.#inFlight.remove(slot);
        return;
    }
  }
}
