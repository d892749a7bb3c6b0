/**
 * Finished jobs past their retention are deleted, at start and then at intervals, in bounded passes that give way to other
 * work. Reads hide such jobs by themselves; the numbers of jobs do not, so `/jobs/count` and `/queues` reap first.
 */
import type { Alarm } from "../base/clock.ts";
import type { Core } from "./core.ts";
import { isExpired } from "./finished-ledger.ts";

export class Janitor {
  readonly #core: Core;
  readonly #passMax: number;
  #alarm: Alarm | undefined;
  #pass: Promise<void> | undefined;
  /** Of those who asked while a sweep was under way: what it read may be older than their question. */
  #following: Promise<void> | undefined;
  #running = false;

  /** @param passMax jobs deleted in one write */
  constructor(core: Core, passMax: number) {
    this.#core = core;
    this.#passMax = passMax;
  }

  start(): void {
    this.#running = true;
    this.#round();
  }

  stop(): void {
    this.#running = false;
    this.#alarm?.cancel();
  }

  /** Deletes everything whose retention is over now. Calls made during a sweep share the one that follows it. */
  sweep(): Promise<void> {
    if (this.#pass === undefined) {
      const pass = this.#sweep().finally(() => {
        this.#pass = undefined;
      });
      this.#pass = pass;
      return pass;
    }
    this.#following ??= this.#pass
      .catch(() => undefined)
      .then(() => {
        this.#following = undefined;
        return this.sweep();
      });
    return this.#following;
  }

  #round(): void {
    if (!this.#running) return;
    this.#core.dispatcher.reconcile();
    this.sweep().then(
      () => this.#sleep(),
      (error: unknown) => {
        // A failed write ended this life, which is said elsewhere; a failed read is worth another round.
        this.#core.logger.warn("a sweep of finished jobs failed", { error: String(error) });
        this.#sleep();
      },
    );
  }

  #sleep(): void {
    if (!this.#running) return;
    this.#alarm = this.#core.clock.after(this.#core.settings.reaperIntervalMs, () => this.#round());
  }

  async #sweep(): Promise<void> {
    const { finished, committer, clock, store } = this.#core;
    const now = clock.now();
    finished.sweeping(true);
    try {
      const unwritten = [...finished.notYetWritten()].filter((job) => isExpired(job, now));
      for (const job of unwritten) finished.drop(committer.stage(), job);
      let dropped = 0;
      for await (const page of store.scanPurge(now)) {
        for (const due of page) {
          if (finished.isDropped(due.id)) continue;
          finished.drop(committer.stage(), due);
          dropped += 1;
          if (dropped % this.#passMax === 0) await committer.settled();
        }
      }
    } finally {
      finished.sweeping(false);
    }
  }
}
