/**
 * One life of the server: a process with its handle on the disk, its timers, its engine and its door. However it ends, at
 * whatever await, in that instant nothing of it is left but what is on the disk.
 */
import type { Logger } from "../../src/base/logger.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import type { EngineSettings } from "../../src/engine/settings.ts";
import type { Dice } from "./dice.ts";
import { Door } from "./door.ts";
import type { ClockLife, SimClock } from "./sim-clock.ts";
import type { SimDisk } from "./sim-disk.ts";
import type { OpenEngine, SimEngine } from "./sim-engine.ts";
import { SimKv } from "./sim-kv.ts";
import type { CrashPlan, CrashPoint, Weather } from "./weather.ts";

/** How long a process that was told to stop waits for its last answers. */
const GRACE_MS = 60_000;

/** What became of a life. `failed` = a write failed, and the engine ended it by itself. */
export type LifeState = "opening" | "open" | "failed" | "over";

interface LifeOptions {
  readonly number: number;
  readonly weather: Weather;
  readonly clock: SimClock;
  readonly disk: SimDisk;
  readonly dice: Dice;
  readonly settings: EngineSettings;
  readonly boot: string | undefined;
  readonly logger: Logger;
  readonly open: OpenEngine;
  onBroken(what: string, error: unknown): void;
  /** The process is gone. */
  onDeath(plan: CrashPlan): void;
}

export class Life {
  readonly number: number;
  readonly weather: Weather;
  readonly #options: LifeOptions;
  readonly #clock: ClockLife;
  readonly #kv: SimKv;
  #state: LifeState = "opening";
  #engine: SimEngine | undefined;
  #door: Door | undefined;
  #writes = 0;
  #requests = 0;
  #isReady = false;
  #isDoomed = false;
  /** Why the engine could not be opened, or ended by itself. */
  failure: unknown;

  constructor(options: LifeOptions) {
    this.number = options.number;
    this.weather = options.weather;
    this.#options = options;
    this.#clock = options.clock.life();
    options.disk.settle();
    this.#kv = new SimKv({
      disk: options.disk,
      clock: this.#clock,
      weather: options.weather.disk,
      witness: {
        beforeWrite: () => {
          this.#writes += 1;
          this.#reached("before a write", this.#writes);
        },
        duringWrite: () => this.#reached("during a write", this.#writes),
        afterWrite: () => this.#reached("after a write", this.#writes),
      },
    });
  }

  get state(): LifeState {
    return this.#state;
  }

  get engine(): SimEngine | undefined {
    return this.#engine;
  }

  get door(): Door | undefined {
    return this.#door;
  }

  /** Whether memory is rebuilt. */
  get isReady(): boolean {
    return this.#isReady;
  }

  start(): void {
    const { crash } = this.weather;
    if (crash !== undefined) this.#options.clock.after(crash.atMs, () => this.#die());
    void this.#open();
  }

  /** The process ends now. What is written at this moment lands or not. */
  die(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#clock.end();
    this.#kv.die(this.#options.dice.chance(0.5));
    this.#door?.close();
  }

  /** The engine ends in order, then the process. Answers, when it is gone, what was asked and never answered. */
  async stop(): Promise<readonly string[]> {
    const { clock } = this.#options;
    await this.#engine?.stop();
    // The last answers find their way out; the store must be there for them.
    for (let waited = 0; waited < GRACE_MS && this.#unanswered.length > 0; waited += 100) await clock.sleep(100);
    await this.#kv.close();
    const unanswered = this.#unanswered;
    this.die();
    return unanswered;
  }

  /**
   * S8, memory against the store. Both are seen at one instant; and because a job that falls due in this very millisecond may
   * be ready in one and not yet in the other, a complaint counts only when it is repeated a moment later.
   */
  async verify(engine: SimEngine): Promise<readonly string[]> {
    this.#kv.readsAtOnce = true;
    const complaints = await engine.verify();
    if (complaints.length === 0) {
      this.#kv.readsAtOnce = false;
      return [];
    }
    await this.#options.clock.sleep(2);
    const repeated = new Set(await engine.verify());
    this.#kv.readsAtOnce = false;
    return complaints.filter((complaint) => repeated.has(complaint));
  }

  get #unanswered(): readonly string[] {
    return this.#door?.unanswered ?? [];
  }

  async #open(): Promise<void> {
    const { open, settings, logger, boot, dice, number, onBroken } = this.#options;
    try {
      const engine = await open({
        kv: this.#kv,
        clock: this.#clock,
        random: new SeededRandom(dice.seed()),
        logger,
        settings,
        boot,
        onEnd: (cause) => this.#failed(cause),
      });
      this.#engine = engine;
      this.#door = new Door({
        life: number,
        verbs: engine,
        onBroken,
        onRequest: () => {
          this.#requests += 1;
          this.#reached("after a request", this.#requests);
        },
      });
      if (this.#state === "opening") this.#state = "open";
      await engine.ready;
      this.#isReady = true;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(cause: unknown): void {
    if (this.#state === "over") return;
    this.#state = "failed";
    this.failure = cause;
  }

  /** A place where a crash may be planned. Some promises may still settle before it comes. */
  #reached(point: CrashPoint, nth: number): void {
    const { crash } = this.weather;
    if (crash === undefined || crash.point !== point || crash.nth !== nth) return;
    // What happens in the same breath as a write begins or a request comes in is not yet an await.
    const promises = point === "before a write" || point === "during a write" ? 0 : crash.promises;
    if (promises === 0) this.#die();
    else afterPromises(promises, () => this.#die());
  }

  #die(): void {
    const { crash } = this.weather;
    if (crash === undefined || this.#state === "over" || this.#isDoomed) return;
    this.#isDoomed = true;
    // An orderly stop begins at a time and takes some; the world sees to it.
    if (crash.ending !== "orderly stop") this.die();
    this.#options.onDeath(crash);
  }
}

function afterPromises(number: number, run: () => void): void {
  if (number === 0) run();
  else queueMicrotask(() => afterPromises(number - 1, run));
}
