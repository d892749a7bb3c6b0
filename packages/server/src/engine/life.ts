/**
 * Beginning and end of one life of the engine.
 *
 *   begin: claims given back on disk ──> (listeners open) ──> indexes rebuilt ──> open
 *   end:   stop(), in order; or a failed write (R4): refuse everything, drop memory, say so
 */
import { QueueError } from "@millrace/protocol/errors";
import type { Clock } from "../base/clock.ts";
import { IdGenerator } from "../base/id-generator.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { Indexes } from "../index/indexes.ts";
import { GroupCommitter } from "../kv/group-committer.ts";
import type { Kv, KvSnapshot } from "../kv/kv.ts";
import { Store } from "../store/store.ts";
import { Core } from "./core.ts";
import { type ClaimsFound, dropOrphans, giveBackClaims, rebuild } from "./recovery.ts";
import type { EngineSettings } from "./settings.ts";

export interface LifeOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: EngineSettings;
  /** Names the machine's boot, so that a crash of the process is told from a power cut; undefined = not known. */
  readonly boot?: string | undefined;
  /** This life ended by itself: a write failed. Everything under way was refused; the store must be reopened. */
  onEnd(cause: unknown): void;
}

export class Life {
  readonly core: Core;
  readonly ready: Promise<void>;
  readonly #onEnd: (cause: unknown) => void;
  #over = false;
  #tidied: Promise<void> | undefined;
  /** Nothing that a power cut may have left behind is there any more. */
  #isWhole = false;
  #stopped: Promise<void> | undefined;

  private constructor(core: Core, claims: ClaimsFound, onEnd: (cause: unknown) => void) {
    this.core = core;
    this.#onEnd = onEnd;
    this.ready = this.#rebuild(claims);
    // Whoever needs it awaits it; nobody has to.
    this.ready.catch(() => undefined);
  }

  static async begin(options: LifeOptions): Promise<Life> {
    const { kv, clock, random, logger, settings } = options;
    const store = await Store.open(kv, {
      now: clock.now(),
      logger,
      boot: options.boot,
      freshBytesMax: settings.freshPayloadBytesMax,
    });
    let life: Life | undefined;
    let failedEarly: unknown;
    const committer = new GroupCommitter({
      kv,
      clock,
      operationsMax: settings.operationsMax,
      onWritten: () => life?.core.dispatcher.pump(),
      onPoison: (cause) => {
        if (life === undefined) failedEarly = cause;
        else life.fail(cause);
      },
    });
    const claims = await giveBackClaims(store, committer);
    const ids = new IdGenerator({ clock, random, above: await store.lastId() });
    const core = new Core({ clock, random, logger, settings, store, committer, indexes: new Indexes(), ids });
    life = new Life(core, claims, options.onEnd);
    if (failedEarly !== undefined) life.fail(failedEarly);
    return life;
  }

  drain(): void {
    this.core.gate.drain();
    this.core.dispatcher.endAll();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** A write failed: nothing is known any more (R4). */
  fail(cause: unknown): void {
    if (this.#over) return;
    this.#over = true;
    const { gate, scheduler, janitor, dispatcher, logger } = this.core;
    logger.error("a write to the store failed; this life of the engine ends", { cause: String(cause) });
    gate.end(new QueueError("STORAGE_UNAVAILABLE", "a write to the store failed", { cause }));
    scheduler.stop();
    janitor.stop();
    dispatcher.abandonAll();
    this.#onEnd(cause);
  }

  async #stop(): Promise<void> {
    const { gate, scheduler, janitor, dispatcher, committer } = this.core;
    gate.stop();
    scheduler.stop();
    janitor.stop();
    dispatcher.endAll();
    const alreadyOver = this.#over;
    this.#over = true;
    await this.ready.catch(() => undefined);
    if (!alreadyOver) await committer.stop();
    await this.#tidied;
    if (!alreadyOver && this.#isWhole) await this.#markClean();
    gate.end(new QueueError("SHUTTING_DOWN", "the server has stopped"));
  }

  async #rebuild(claims: ClaimsFound): Promise<void> {
    const { store, committer, indexes, clock, logger, gate, scheduler, janitor, dispatcher, publication } = this.core;
    // Taken in the breath in which this life begins: before any enqueue can be accepted.
    const snapshot = store.snapshot();
    const began = clock.now();
    try {
      const isCancelled = () => this.#over;
      const found = await rebuild({ store, committer, indexes, clock, claims, snapshot, isCancelled });
      if (this.#over) throw new QueueError("SHUTTING_DOWN", "stopped before memory was rebuilt");
      if (found.bodiless > 0)
        logger.error("a power cut took the payloads of jobs; they are gone", { jobs: found.bodiless });
      logger.info("memory rebuilt", { jobs: found.live, ms: clock.now() - began });
      publication.release();
      gate.open();
      scheduler.start();
      dispatcher.start();
      janitor.start();
      this.#tidied = this.#tidy(snapshot);
    } catch (error) {
      if (!this.#over) this.fail(error);
      this.#tidied = snapshot.close();
      throw error;
    }
  }

  /** Without the mark the next start looks closer, no more. */
  async #markClean(): Promise<void> {
    try {
      await this.core.store.aftermath.markClean();
    } catch (error) {
      this.core.logger.warn("the orderly end could not be marked", { error: String(error) });
    }
  }

  /** What a power cut left behind goes, while the queue works already. */
  async #tidy(snapshot: KvSnapshot): Promise<void> {
    const { store, committer, logger } = this.core;
    try {
      if (store.aftermath.mayHaveLostWrites) {
        const orphans = await dropOrphans({ store, committer, snapshot, isCancelled: () => this.#over });
        if (orphans > 0) logger.warn("records without their job were dropped", { records: orphans });
        if (this.#over) return;
        store.aftermath.markRepaired(committer.stage());
        await committer.commit("sync");
      }
      this.#isWhole = true;
    } catch (error) {
      if (!this.#over) logger.warn("the search for records without their job failed", { error: String(error) });
    } finally {
      await snapshot.close();
    }
  }
}
