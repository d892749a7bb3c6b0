/** A server on a simulated clock and disk, played by hand. */
import { instant } from "@millrace/protocol/ids";
import { invariant } from "../../src/base/assert.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import type { TakeMessage } from "../../src/engine/session.ts";
import type { EngineSettings } from "../../src/engine/settings.ts";
import { plainRequest } from "../sim/producer.ts";
import { SimClock } from "../sim/sim-clock.ts";
import { SimDisk } from "../sim/sim-disk.ts";
import { openEngine, type SimEngine } from "../sim/sim-engine.ts";
import { calmDisk, SimKv } from "../sim/sim-kv.ts";

/** Longest that a step may take, in simulated time. */
const PATIENCE_MS = 10 * 60_000;

const calmSettings: EngineSettings = {
  globalInFlightMax: 1024,
  defaultRetryLimit: 25,
  defaultBackoff: { exponent: 1, baseMs: 1000, jitterMs: 0 },
  completedRetentionMs: 0,
  deadRetentionMs: 60_000,
  reaperIntervalMs: 30_000,
  commitMode: "fsync",
  enqueueCommitMode: "fsync",
  operationsMax: 2000,
  freshPayloadBytesMax: 0,
  schedulerPassMax: 200,
};

interface StageOptions {
  readonly readMs?: number;
  readonly writeMs?: number;
  /** Entries in one page of a scan. */
  readonly pageEntriesMax?: number;
  readonly settings?: Partial<EngineSettings>;
}

export class Stage {
  readonly clock = new SimClock();
  readonly #disk = new SimDisk();
  readonly #options: StageOptions;
  #life = this.clock.life();
  #kv: SimKv | undefined;
  #engine: SimEngine | undefined;
  #wishes = 0;
  #boots = 1;

  private constructor(options: StageOptions) {
    this.#options = options;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const stage = new Stage(options);
    await stage.#start();
    return stage;
  }

  get engine(): SimEngine {
    invariant(this.#engine !== undefined, "the stage has no engine yet");
    return this.#engine;
  }

  /** Lets time go on until the promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.clock.run(this.clock.now() + PATIENCE_MS, () => isSettled);
    invariant(isSettled, "a step never came to its end");
    return await promise;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.run(this.clock.now() + ms);
  }

  async enqueue(options: { payloadBytes?: number } = {}): Promise<void> {
    this.#wishes += 1;
    const request = plainRequest("mail")(this.#wishes);
    const { format, bytes } = request.payload;
    const padded = Buffer.from(bytes.toString().replace('""', `"${"x".repeat(options.payloadBytes ?? 0)}"`));
    await this.until(this.engine.enqueue([{ ...request, payload: { format, bytes: padded } }]));
  }

  /** Enqueues as many jobs, takes them one by one, and acks each. */
  async complete(jobs: number, options: { payloadBytes?: number } = {}): Promise<void> {
    for (let done = 0; done < jobs; done += 1) {
      await this.enqueue(options);
      await this.#handle(({ job }) => this.engine.succeed({ id: job.id, delivery: job.delivery }));
    }
  }

  /** Takes the best job and fails at it. */
  async fail(options: { retryInMs: number }): Promise<void> {
    await this.#handle(({ job }) => {
      const retryAt = instant(this.clock.now() + options.retryInMs);
      return this.engine.fail({ id: job.id, delivery: job.delivery }, { message: "no", kill: false, retryAt });
    });
  }

  /** Cuts the power and starts again. `isLost` is asked of each write since the last start that was not synced, from 0. */
  async cutPower(isLost: (write: number) => boolean): Promise<void> {
    this.#life.end();
    this.#kv?.die(false);
    this.#boots += 1;
    let write = -1;
    this.#disk.cutPower(() => {
      write += 1;
      return isLost(write);
    });
    await this.#start();
  }

  async #handle(settle: (message: TakeMessage) => Promise<unknown>): Promise<void> {
    const got: TakeMessage[] = [];
    const send = (messages: readonly TakeMessage[]): boolean => {
      got.push(...messages);
      return true;
    };
    const request = { queues: undefined, prefetch: 1, workerId: "stage" };
    const stream = this.engine.take(request, { send, end: () => undefined });
    await this.clock.run(this.clock.now() + PATIENCE_MS, () => got.length > 0);
    const [message] = got;
    invariant(message !== undefined, "no job was handed out");
    await this.until(settle(message));
    stream.close();
  }

  async #start(): Promise<void> {
    const { readMs = 0, writeMs = 0, pageEntriesMax = 1000, settings = {} } = this.#options;
    this.#disk.settle();
    this.#life = this.clock.life();
    const weather = { ...calmDisk, readMs: () => readMs, writeMs: () => writeMs, pageEntriesMax };
    const kv = new SimKv({ disk: this.#disk, clock: this.#life, weather });
    this.#kv = kv;
    const opening = openEngine({
      kv,
      clock: this.#life,
      random: new SeededRandom(1),
      logger: silentLogger,
      settings: { ...calmSettings, ...settings },
      boot: `boot ${this.#boots}`,
      onEnd: () => undefined,
    });
    this.#engine = await this.until(opening);
    await this.until(this.#engine.ready);
  }
}
