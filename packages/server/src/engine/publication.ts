import { clampU64 } from "@millrace/protocol/ids";
import { limits } from "../base/limits.ts";
import type { LiveJob } from "../job/job.ts";
import type { Core } from "./core.ts";

/**
 * Jobs that just became durable enter the indexes. While memory is being rebuilt they wait: everything that is scanned is
 * older than they are, so afterwards they still arrive in the order of their ids.
 */
export class Publication {
  readonly #core: Core;
  #held: LiveJob[] | undefined = [];

  constructor(core: Core) {
    this.#core = core;
  }

  /** Whether so many jobs wait for the end of the rebuild that no more can. */
  get isFull(): boolean {
    return this.#held !== undefined && this.#held.length >= limits.enqueuedMeanwhileMax;
  }

  publish(job: LiveJob): void {
    if (this.#held === undefined) this.#enter(job);
    else this.#held.push(job);
  }

  /** The rebuild is over. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const job of held) this.#enter(job);
  }

  #enter(job: LiveJob): void {
    const { indexes, dispatcher, scheduler } = this.#core;
    indexes.publish(job);
    if (job.status === "scheduled") scheduler.noticed(clampU64(job.readyAt));
    else dispatcher.jobReady(job.queue);
  }
}
