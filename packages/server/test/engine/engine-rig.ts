/** An engine in a box for tests: simulated clock, memory for a disk, streams that only note what they got. */
import { type DeliveryToken, parseQueueName, parseTypeName } from "@millrace/protocol/ids";
import { silentLogger } from "../../src/base/logger.ts";
import { SeededRandom } from "../../src/base/seeded-random.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { JobSink, TakeMessage } from "../../src/engine/session.ts";
import type { EngineSettings } from "../../src/engine/settings.ts";
import type { Enqueued, TakeStream } from "../../src/engine/verbs.ts";
import type { JobRequest } from "../../src/job/job.ts";
import type { Kv, KvBatch, KvReader } from "../../src/kv/kv.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { SimClock } from "../sim/sim-clock.ts";

export const settings: EngineSettings = {
  globalInFlightMax: 0,
  defaultRetryLimit: 25,
  defaultBackoff: { exponent: 4, baseMs: 15_000, jitterMs: 0 },
  completedRetentionMs: 0,
  deadRetentionMs: 60_000,
  reaperIntervalMs: 30_000,
  commitMode: "fsync",
  enqueueCommitMode: "fsync",
  operationsMax: 1000,
  freshPayloadBytesMax: 1_000_000,
  schedulerPassMax: 200,
};

/** A job as `enqueue` wants it; names are checked here as the door would. */
export function request(
  over: Partial<Omit<JobRequest, "queue" | "payload">> & { queue?: string; payload?: unknown } = {},
): JobRequest {
  const queue = parseQueueName(over.queue ?? "q");
  const type = parseTypeName("t");
  if (queue === undefined || type === undefined) throw new Error("a test used a bad name");
  const payload = { format: "json", bytes: Buffer.from(JSON.stringify(over.payload ?? null)) } as const;
  return { type, priority: 100, readyAt: undefined, options: {}, ...over, queue, payload };
}

/** A worker's stream that keeps what it got; `full` makes the socket full after the next piece. */
export class NotingSink implements JobSink {
  readonly got: TakeMessage[] = [];
  pieces = 0;
  full = false;
  ended = false;

  send(messages: readonly TakeMessage[]): boolean {
    this.pieces += 1;
    this.got.push(...messages);
    return !this.full;
  }

  end(): void {
    this.ended = true;
  }

  get ids(): string[] {
    return this.got.map(({ job }) => job.id);
  }

  ack(at: number): { id: string; delivery: DeliveryToken } {
    const message = this.got[at];
    if (message === undefined) throw new Error(`the stream got ${this.got.length} jobs, not ${at + 1}`);
    return { id: message.job.id, delivery: message.job.delivery };
  }
}

/** A store whose writes a test can hold back, count and fail. */
export class HeldKv implements Kv {
  readonly inner: Kv;
  /** Sizes of the writes so far, and whether each was synced. */
  readonly writes: { size: number; sync: boolean }[] = [];
  held: (() => void)[] | undefined;
  failing: unknown;

  constructor(inner: Kv = new MemoryKv()) {
    this.inner = inner;
  }

  batch(): KvBatch {
    const batch = this.inner.batch();
    return {
      put: (key, value) => batch.put(key, value),
      del: (key) => batch.del(key),
      get size() {
        return batch.size;
      },
      discard: () => batch.discard(),
      write: async (options) => {
        this.writes.push({ size: batch.size, sync: options.sync });
        if (this.held !== undefined) await new Promise<void>((resolve) => this.held?.push(resolve));
        if (this.failing !== undefined) throw this.failing;
        await batch.write(options);
      },
    };
  }

  /** From now on writes wait for `release()`. */
  hold(): void {
    this.held = [];
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  get: KvReader["get"] = (key) => this.inner.get(key);
  getMany: KvReader["getMany"] = (keys) => this.inner.getMany(keys);
  scan: KvReader["scan"] = (range) => this.inner.scan(range);
  snapshot = () => this.inner.snapshot();
  close = () => this.inner.close();
}

export class Rig {
  readonly clock: SimClock;
  readonly kv: HeldKv;
  readonly engine: Engine;
  ended: unknown;

  private constructor(clock: SimClock, kv: HeldKv, engine: Engine) {
    this.clock = clock;
    this.kv = kv;
    this.engine = engine;
  }

  static async open(
    over: Partial<EngineSettings> & { on?: { kv: HeldKv; clock: SimClock }; isReady?: boolean } = {},
  ): Promise<Rig> {
    const { on, isReady = true, ...chosen } = over;
    const clock = on?.clock ?? new SimClock();
    const kv = on?.kv ?? new HeldKv();
    let rig: Rig | undefined;
    const opening = Engine.open({
      kv,
      clock: clock.life(),
      random: new SeededRandom(1),
      logger: silentLogger,
      settings: { ...settings, ...chosen },
      onEnd: (cause) => {
        if (rig !== undefined) rig.ended = cause;
      },
    });
    rig = new Rig(clock, kv, await Rig.#through(clock, opening));
    if (isReady) await rig.do(rig.engine.ready);
    await rig.rest();
    return rig;
  }

  static async #through<T>(clock: SimClock, work: Promise<T>): Promise<T> {
    let isOver = false;
    const done = () => {
      isOver = true;
    };
    work.then(done, done);
    await clock.run(clock.now(), () => isOver);
    return await work;
  }

  /** Lets the world go on, time standing still, until a promise settles; a promise that never does fails the test by its time limit. */
  do<T>(work: Promise<T>): Promise<T> {
    return Rig.#through(this.clock, work);
  }

  /** Lets everything that can happen now happen. */
  rest(): Promise<void> {
    return this.clock.run(this.clock.now());
  }

  /** Lets `ms` pass. */
  pass(ms: number): Promise<void> {
    return this.clock.run(this.clock.now() + ms);
  }

  enqueue(...requests: JobRequest[]): Promise<readonly Enqueued[]> {
    return this.do(this.engine.enqueue(requests));
  }

  /** Ids of `count` equal jobs. */
  async enqueueMany(count: number, over: Parameters<typeof request>[0] = {}): Promise<string[]> {
    const answers = await this.enqueue(...Array.from({ length: count }, () => request(over)));
    return answers.map(({ job }) => job.id);
  }

  async take(
    over: { queues?: string[]; prefetch?: number; full?: boolean } = {},
  ): Promise<{ sink: NotingSink; stream: TakeStream }> {
    const sink = new NotingSink();
    sink.full = over.full ?? false;
    const stream = this.engine.take({ queues: over.queues, prefetch: over.prefetch ?? 1, workerId: "w" }, sink);
    await this.rest();
    return { sink, stream };
  }

  /** A new life on the same store, as after a crash when the old one is not stopped. */
  async restart(over: Partial<EngineSettings> & { isReady?: boolean } = {}): Promise<Rig> {
    return await Rig.open({ ...over, on: { kv: this.kv, clock: this.clock } });
  }

  async status(id: string): Promise<string> {
    return (await this.do(this.engine.get(id))).job.status;
  }
}
