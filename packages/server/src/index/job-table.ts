/**
 * Every live job's header, at rest in rows of words (`job-rows.ts`), with what jobs share kept once: names (`kinds.ts`),
 * options (`options-table.ts`). A LiveJob goes in and an equal one comes out, except for a due time beyond 2^53 - 1, which is
 * clamped here and exact in the store. No object, closure or string stays behind for a job at rest.
 */
import type { DeliveryToken, JobId } from "@millrace/protocol/ids";
import { clampU64 } from "@millrace/protocol/ids";
import { invariant } from "../base/assert.ts";
import { idFromWords, idToWords } from "../base/id-bytes.ts";
import type { InFlightJob, LiveJob, ReadyJob, ScheduledJob } from "../job/job.ts";
import { Histories } from "./histories.ts";
import { IdTable } from "./id-table.ts";
import { JobRows, type LiveStatus } from "./job-rows.ts";
import { Kinds } from "./kinds.ts";
import { Numbered } from "./numbered.ts";
import { isEqual, OptionsTable } from "./options-table.ts";

/** Where a live job is at rest; -1 = none. A slot is given to another job only after its job was removed. */
export type Slot = number;

// Reused by every call: nothing here waits, so no two calls are ever inside.
const idWords = new Uint32Array(4);

export class JobTable {
  readonly rows = new JobRows();
  readonly kinds = new Kinds();
  readonly options = new OptionsTable();
  readonly histories = new Histories();
  readonly #ids = new IdTable(this.rows);
  /** Tokens of jobs in flight; a history names one by its number plus 1. */
  readonly #deliveries = new Numbered<DeliveryToken>();

  get size(): number {
    return this.#ids.size;
  }

  /** Takes in a job that is not there. Indexes come after it. */
  insert(job: LiveJob): Slot {
    idToWords(job.id, idWords, 0);
    const { rows } = this;
    const slot = rows.allocate();
    rows.setId(slot, idWords);
    invariant(this.#ids.add(slot), "a job entered memory twice");
    rows.setHead(slot, job);
    rows.setKind(slot, this.kinds.add(job.queue, job.type, job.status).number);
    rows.setOptions(slot, this.options.add(job.options));
    rows.setHistory(slot, this.histories.write(0, job));
    rows.setReadyAt(slot, clampU64(job.readyAt));
    if (job.status === "in_flight") this.#setDelivery(slot, job.delivery);
    return slot;
  }

  /** -1 = no live job has this id. */
  find(id: JobId): Slot {
    idToWords(id, idWords, 0);
    return this.#ids.find(idWords);
  }

  status(slot: Slot): LiveStatus {
    const status = this.rows.status(slot);
    invariant(status !== undefined, "no job is in this slot");
    return status;
  }

  /** The number of the job's queue, see `kinds.ts`. */
  queueNumber(slot: Slot): number {
    return this.kinds.at(this.rows.kind(slot)).queue.number;
  }

  delivery(slot: Slot): DeliveryToken | undefined {
    const number = this.histories.delivery(this.rows.history(slot));
    return number === 0 ? undefined : this.#deliveries.get(number - 1);
  }

  /** The session that has a job in flight; -1 = the job is not in flight. */
  session(slot: Slot): number {
    return this.rows.status(slot) === "in_flight" ? this.histories.session(this.rows.history(slot)) : -1;
  }

  setSession(slot: Slot, session: number): void {
    this.histories.setSession(this.rows.history(slot), session);
  }

  /** Deliveries that are known: one for each job in flight. */
  get deliveryCount(): number {
    return this.#deliveries.size;
  }

  id(slot: Slot): JobId {
    this.rows.copyId(slot, idWords);
    return idFromWords(idWords[0] ?? 0, idWords[1] ?? 0, idWords[2] ?? 0, idWords[3] ?? 0);
  }

  /** Negative when `a` has the smaller id. */
  compareIds(a: Slot, b: Slot): number {
    return this.rows.compareIds(a, b);
  }

  /** The job as a value, its members in the order of `job/transitions.ts`, so that all jobs of a status share a shape. */
  read(slot: Slot): LiveJob {
    switch (this.status(slot)) {
      case "ready":
        return this.#readReady(slot);
      case "scheduled":
        return this.#readScheduled(slot);
      case "in_flight":
        return this.#readInFlight(slot);
    }
  }

  /** New values for the job in this slot, which must have the same id. The indexes that order by them know of it. */
  write(slot: Slot, job: LiveJob): void {
    const { rows } = this;
    const status = this.status(slot);
    const kind = this.kinds.at(rows.kind(slot));
    if (kind.queue.name !== job.queue || kind.type !== job.type) {
      rows.setKind(slot, this.kinds.add(job.queue, job.type, job.status).number);
      this.kinds.remove(kind.number, status);
    } else if (status !== job.status) {
      this.kinds.move(kind.number, status, job.status);
    }
    const options = rows.options(slot);
    if (!isEqual(this.options.get(options), job.options)) {
      rows.setOptions(slot, this.options.add(job.options));
      this.options.remove(options);
    }
    if (status === "in_flight") this.#dropDelivery(slot);
    rows.setHead(slot, job);
    rows.setHistory(slot, this.histories.write(rows.history(slot), job));
    rows.setReadyAt(slot, clampU64(job.readyAt));
    if (job.status === "in_flight") this.#setDelivery(slot, job.delivery);
  }

  /** The job is gone and its slot free; it must have left every index. */
  remove(slot: Slot): void {
    const { rows } = this;
    const status = this.status(slot);
    this.#ids.delete(slot);
    this.kinds.remove(rows.kind(slot), status);
    this.options.remove(rows.options(slot));
    if (status === "in_flight") this.#dropDelivery(slot);
    this.histories.remove(rows.history(slot));
    rows.clearHead(slot);
    rows.free(slot);
  }

  /** Every live job's slot, in no particular order. */
  slots(): Iterable<Slot> {
    return this.rows.live();
  }

  #setDelivery(slot: Slot, delivery: DeliveryToken): void {
    this.histories.setDelivery(this.rows.history(slot), this.#deliveries.add(delivery) + 1);
  }

  #dropDelivery(slot: Slot): void {
    const history = this.rows.history(slot);
    this.#deliveries.remove(this.histories.delivery(history) - 1);
    this.histories.setDelivery(history, 0);
  }

  #readReady(slot: Slot): ReadyJob {
    const { rows, histories } = this;
    const kind = this.kinds.at(rows.kind(slot));
    const history = rows.history(slot);
    return {
      id: this.id(slot),
      queue: kind.queue.name,
      type: kind.type,
      priority: rows.priority(slot),
      readyAt: rows.readyAt(slot),
      attempts: histories.attempts(history),
      lost: histories.lost(history),
      dequeuedAt: histories.dequeuedAt(history),
      failedAt: histories.failedAt(history),
      options: this.options.get(rows.options(slot)),
      status: "ready",
    };
  }

  #readScheduled(slot: Slot): ScheduledJob {
    const { rows, histories } = this;
    const kind = this.kinds.at(rows.kind(slot));
    const history = rows.history(slot);
    return {
      id: this.id(slot),
      queue: kind.queue.name,
      type: kind.type,
      priority: rows.priority(slot),
      readyAt: rows.readyAt(slot),
      attempts: histories.attempts(history),
      lost: histories.lost(history),
      dequeuedAt: histories.dequeuedAt(history),
      failedAt: histories.failedAt(history),
      options: this.options.get(rows.options(slot)),
      status: "scheduled",
      because: rows.isRetry(slot) ? "retry" : "delay",
    };
  }

  #readInFlight(slot: Slot): InFlightJob {
    const { rows, histories } = this;
    const kind = this.kinds.at(rows.kind(slot));
    const history = rows.history(slot);
    const dequeuedAt = histories.dequeuedAt(history);
    const delivery = this.delivery(slot);
    invariant(dequeuedAt !== undefined && delivery !== undefined, "a job in flight was handed out");
    return {
      id: this.id(slot),
      queue: kind.queue.name,
      type: kind.type,
      priority: rows.priority(slot),
      readyAt: rows.readyAt(slot),
      attempts: histories.attempts(history),
      lost: histories.lost(history),
      dequeuedAt,
      failedAt: histories.failedAt(history),
      options: this.options.get(rows.options(slot)),
      status: "in_flight",
      delivery,
    };
  }
}
