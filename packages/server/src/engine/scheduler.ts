/**
 * The alarm clock of scheduled jobs and retries: it sleeps until the first one is due, and is set anew only when an earlier
 * one appears. Making a job ready needs no write: its due time is on disk, and readiness follows from it.
 */
import type { Alarm } from "../base/clock.ts";
import { promote } from "../job/transitions.ts";
import type { Core } from "./core.ts";

export class Scheduler {
  readonly #core: Core;
  #alarm: Alarm | undefined;
  /** When the alarm is set for; Infinity = not set. */
  #due = Number.POSITIVE_INFINITY;
  #running = false;

  constructor(core: Core) {
    this.#core = core;
  }

  start(): void {
    this.#running = true;
    this.#arm();
  }

  stop(): void {
    this.#running = false;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }

  /** A job is scheduled for `at`: only an earlier time than the alarm's disturbs it. */
  noticed(at: number): void {
    if (this.#running && at < this.#due) this.#arm();
  }

  #arm(): void {
    const first = this.#core.indexes.firstDue();
    if (first !== undefined && first.at === this.#due) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#due = first?.at ?? Number.POSITIVE_INFINITY;
    if (first === undefined) return;
    this.#alarm = this.#core.clock.after(Math.max(0, first.at - this.#core.clock.now()), () => this.#ring());
  }

  /** One pass; a full one is followed by the next as soon as waiting events had their turn. */
  #ring(): void {
    this.#alarm = undefined;
    this.#due = Number.POSITIVE_INFINITY;
    if (!this.#running) return;
    const { indexes, clock, dispatcher, settings } = this.#core;
    const now = clock.now();
    for (let promoted = 0; promoted < settings.schedulerPassMax; promoted += 1) {
      const first = indexes.firstDue();
      if (first === undefined || first.at > now) break;
      const job = indexes.read(first.slot);
      if (job.status !== "scheduled") break;
      indexes.change(first.slot, promote(job));
      dispatcher.jobReady(job.queue);
    }
    dispatcher.pump();
    this.#arm();
  }
}
