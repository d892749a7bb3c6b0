/**
 * What the verbs share: one object per life of the engine. After a failed write it is thrown away as a whole (R4).
 */
import type { Clock } from "../base/clock.ts";
import type { IdGenerator } from "../base/id-generator.ts";
import { limits } from "../base/limits.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Indexes } from "../index/indexes.ts";
import type { RetryDefaults } from "../job/retry-policy.ts";
import type { RetentionDefaults } from "../job/transitions.ts";
import type { GroupCommitter } from "../kv/group-committer.ts";
import type { Store } from "../store/store.ts";
import { DeliveryTokens } from "./delivery-tokens.ts";
import { Dispatcher } from "./dispatcher.ts";
import { FinishedLedger } from "./finished-ledger.ts";
import { Gate } from "./gate.ts";
import { Janitor } from "./janitor.ts";
import { Publication } from "./publication.ts";
import { Scheduler } from "./scheduler.ts";
import type { EngineSettings } from "./settings.ts";

/** What a life is given. */
export interface CoreParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: EngineSettings;
  readonly store: Store;
  readonly committer: GroupCommitter;
  readonly indexes: Indexes;
  readonly ids: IdGenerator;
}

export class Core {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: EngineSettings;
  readonly store: Store;
  readonly committer: GroupCommitter;
  readonly indexes: Indexes;
  readonly ids: IdGenerator;
  readonly retry: RetryDefaults;
  readonly retention: RetentionDefaults;
  /** How an answered settle or delete is written. */
  readonly durability: "sync" | "async";
  readonly enqueueDurability: "sync" | "async";
  readonly tokens: DeliveryTokens;
  readonly gate: Gate;
  readonly finished: FinishedLedger;
  readonly dispatcher: Dispatcher;
  readonly scheduler: Scheduler;
  readonly janitor: Janitor;
  readonly publication: Publication;

  constructor(parts: CoreParts) {
    const { settings } = parts;
    this.clock = parts.clock;
    this.random = parts.random;
    this.logger = parts.logger;
    this.settings = settings;
    this.store = parts.store;
    this.committer = parts.committer;
    this.indexes = parts.indexes;
    this.ids = parts.ids;
    this.retry = { retryLimit: settings.defaultRetryLimit, backoff: settings.defaultBackoff };
    this.retention = { completedMs: settings.completedRetentionMs, deadMs: settings.deadRetentionMs };
    this.durability = settings.commitMode === "fsync" ? "sync" : "async";
    this.enqueueDurability = settings.enqueueCommitMode === "fsync" ? "sync" : "async";
    this.tokens = new DeliveryTokens(parts.store.epoch);
    this.gate = new Gate({ clock: parts.clock, waitMs: limits.readyWaitMs });
    this.finished = new FinishedLedger({
      store: parts.store,
      committer: parts.committer,
      counts: parts.indexes.finishedCounts,
      durability: this.durability,
    });
    this.dispatcher = new Dispatcher(this);
    this.scheduler = new Scheduler(this);
    this.janitor = new Janitor(this, limits.janitorPassMax);
    this.publication = new Publication(this);
  }
}
