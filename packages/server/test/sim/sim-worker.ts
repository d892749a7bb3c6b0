/**
 * Somebody who works: takes a stream, gets jobs, and does with them what workers do. Most jobs are acked, some fail, and now
 * and then the worker hangs, dies, acks when it is too late, or acks twice. It is as careful as a good client: an ack that was
 * not answered is repeated while its stream lives.
 */
import type { DeliveryToken, JobId } from "@millrace/protocol/ids";
import type { TakeMessage } from "../../src/engine/session.ts";
import type { Ack, TakeRequest } from "../../src/engine/verbs.ts";
import type { Failure } from "../../src/job/job.ts";
import type { Dice } from "./dice.ts";
import { counted, type Journal } from "./journal.ts";
import type { Oracle } from "./oracle.ts";
import { isWorthRepeating } from "./outcome.ts";
import type { SimClock } from "./sim-clock.ts";
import type { SimStream } from "./sim-stream.ts";
import type { WorkerWeather } from "./weather.ts";
import type { Wire } from "./wire.ts";

/** Longest that a worker hangs before somebody restarts it. */
const HANG_MS = 20_000;
const ACKS_IN_BULK_MAX = 5;

interface WorkerOptions {
  readonly name: string;
  readonly clock: SimClock;
  readonly wire: Wire;
  readonly dice: Dice;
  readonly journal: Journal;
  readonly oracle: Oracle;
  readonly request: Omit<TakeRequest, "workerId">;
  readonly weather: () => WorkerWeather;
}

/** From one connect to the end of that stream. */
interface Connection {
  stream: SimStream | undefined;
  isOver: boolean;
  readonly bulk: Ack[];
}

export class SimWorker {
  readonly name: string;
  readonly request: TakeRequest;
  readonly #options: WorkerOptions;
  #connection: Connection | undefined;
  #isStopped = true;
  /** While set, jobs are kept and nothing is done with them. */
  #holdsBack = false;
  #heldBack: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    this.name = options.name;
    this.#options = options;
    this.request = { ...options.request, workerId: options.name };
  }

  /** Whether a stream is open, as far as the worker knows. */
  get isConnected(): boolean {
    return this.#connection?.stream !== undefined && !this.#connection.isOver;
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#connectSoon();
  }

  /** Goes home: the stream is cut. */
  stop(): void {
    this.#isStopped = true;
    this.#leave("goes home");
  }

  /** Keeps what it gets from now on, until `goOn()`. */
  holdBack(): void {
    this.#holdsBack = true;
  }

  goOn(): void {
    this.#holdsBack = false;
    const waiting = this.#heldBack;
    this.#heldBack = [];
    for (const goOn of waiting) goOn();
  }

  #connectSoon(): void {
    const { clock, dice } = this.#options;
    clock.after(dice.skewed(1, 1000), () => void this.#connect());
  }

  async #connect(): Promise<void> {
    if (this.#isStopped || this.#connection !== undefined) return;
    const connection: Connection = { stream: undefined, isOver: false, bulk: [] };
    this.#connection = connection;
    const stream = await this.#options.wire.take(this.name, this.request, {
      received: (message) => this.#received(connection, message),
      ended: () => this.#ended(connection),
    });
    if (stream === undefined) {
      this.#ended(connection);
    } else if (connection.isOver) {
      stream.cut(this.#options.wire.closeDelayMs());
    } else {
      connection.stream = stream;
      this.#note(
        `takes from ${this.request.queues?.join(" and ") ?? "all queues"}, ${this.request.prefetch || "any number"} at a time`,
      );
    }
  }

  #ended(connection: Connection): void {
    if (connection.isOver) return;
    connection.isOver = true;
    if (this.#connection === connection) this.#connection = undefined;
    if (!this.#isStopped) this.#connectSoon();
  }

  /** Cuts its stream, and comes back later unless it was told to stop. */
  #leave(why: string): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#note(why);
    connection.stream?.cut(this.#options.wire.closeDelayMs());
    this.#ended(connection);
  }

  #received(connection: Connection, message: TakeMessage): number {
    void this.#work(connection, message);
    const { dice, weather } = this.#options;
    return weather().readsSlowly ? dice.skewed(0, 500) : 0;
  }

  async #work(connection: Connection, { job }: TakeMessage): Promise<void> {
    const { clock, dice, weather: now } = this.#options;
    await clock.sleep(dice.skewed(0, now().busyMs));
    if (this.#holdsBack) await new Promise<void>((resolve) => this.#heldBack.push(resolve));
    if (connection.isOver) return;
    const weather = now();
    const delivery = dice.chance(weather.namesDelivery) ? job.delivery : undefined;
    const ack: Ack = { id: job.id, delivery };
    let luck = dice.spread(0, 1);
    const happens = (probability: number): boolean => {
      luck -= probability;
      return luck < 0;
    };
    if (happens(weather.dies)) this.#leave(`dies with ${this.#called(job.id)}`);
    else if (happens(weather.hangs)) await this.#hang(connection, job.id);
    else if (happens(weather.acksLate)) await this.#ackLate(connection, ack);
    else if (happens(weather.fails)) await this.#fail(connection, ack);
    else if (dice.chance(weather.acksInBulk)) await this.#ackInBulk(connection, ack);
    else await this.#ack(connection, ack, dice.chance(weather.acksTwice));
  }

  async #hang(connection: Connection, id: JobId): Promise<void> {
    const { clock, dice } = this.#options;
    this.#note(`hangs over ${this.#called(id)}`);
    await clock.sleep(dice.skewed(100, HANG_MS));
    if (!connection.isOver) this.#leave("is restarted by somebody");
  }

  async #ackLate(connection: Connection, ack: Ack): Promise<void> {
    const { clock, dice } = this.#options;
    this.#leave(`loses its stream and works on at ${this.#called(ack.id)}`);
    await clock.sleep(dice.skewed(1, 10_000));
    await this.#sendAck(connection, [ack]);
  }

  async #ack(connection: Connection, ack: Ack, twice: boolean): Promise<void> {
    await this.#untilHeard(connection, () => this.#sendAck(connection, [ack]));
    if (twice) await this.#sendAck(connection, [ack]);
  }

  /** Gathers a few; whoever comes first waits a moment and sends what there is by then. */
  async #ackInBulk(connection: Connection, ack: Ack): Promise<void> {
    const { clock, dice } = this.#options;
    connection.bulk.push(ack);
    if (connection.bulk.length > 1 && connection.bulk.length < ACKS_IN_BULK_MAX) return;
    await clock.sleep(dice.skewed(0, 100));
    const acks = connection.bulk.splice(0);
    if (acks.length > 0) await this.#untilHeard(connection, () => this.#sendAck(connection, acks));
  }

  /** Answers whether the server's word was heard. */
  async #sendAck(connection: Connection, acks: readonly Ack[]): Promise<boolean> {
    const { wire, oracle } = this.#options;
    const names = acks.map(({ id }) => this.#called(id)).join(", ");
    const [first] = acks;
    if (first === undefined) return true;
    const late = connection.isOver ? " too late" : "";
    this.#note(`acks ${names}${late}${first.delivery === undefined ? "" : ", naming the delivery"}`);
    const arrives = () => oracle.settles.successBegins(acks);
    if (acks.length > 1) {
      const outcome = await wire.call({ what: `ack of ${names}`, run: (verbs) => verbs.succeedMany(acks), arrives });
      this.#note(`hears of ${counted(acks.length, "ack")}: ${this.#words(outcome)}`);
      return !isWorthRepeating(outcome);
    }
    const outcome = await wire.call<undefined>({
      what: `ack of ${names}`,
      run: async (verbs) => {
        await verbs.succeed(first);
        return undefined;
      },
      arrives,
    });
    this.#note(`hears of its ack of ${names}: ${this.#words(outcome)}`);
    return !isWorthRepeating(outcome);
  }

  async #fail(connection: Connection, { id, delivery }: Ack): Promise<void> {
    const { clock, dice, wire, oracle } = this.#options;
    const failure: Failure = {
      message: "it did not work",
      kill: dice.chance(0.1),
      ...(dice.chance(0.3) ? { backtrace: "in the box\nin the world" } : {}),
      ...(dice.chance(0.2) ? { retryAt: clock.now() + dice.between(-1000, 5000) } : {}),
    };
    const ack = { id: id as JobId, delivery: delivery as DeliveryToken | undefined };
    await this.#untilHeard(connection, async () => {
      this.#note(`fails at ${this.#called(id)}${failure.kill ? " for good" : ""}`);
      const outcome = await wire.call({
        what: `failure of ${this.#called(id)}`,
        run: (verbs) => verbs.fail(ack, failure),
        arrives: () => oracle.settles.failureBegins(ack, failure),
      });
      this.#note(`hears of its failure at ${this.#called(id)}: ${this.#words(outcome)}`);
      return !isWorthRepeating(outcome);
    });
  }

  /** Says it again until the server's word is heard, as long as the stream lives: without a stream the job is not ours. */
  async #untilHeard(connection: Connection, say: () => Promise<boolean>): Promise<void> {
    const { clock, dice } = this.#options;
    while (!connection.isOver) {
      if (await say()) return;
      await clock.sleep(dice.skewed(10, 2000));
    }
  }

  #words(outcome: { kind: string; code?: string }): string {
    return outcome.kind === "answered" ? "done" : outcome.kind === "refused" ? `refused, ${outcome.code}` : "nothing";
  }

  #called(id: string): string {
    return this.#options.oracle.chronicle.jobs.get(id)?.name ?? id;
  }

  #note(what: string): void {
    this.#options.journal.note(this.name, what);
  }
}
