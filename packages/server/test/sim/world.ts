/**
 * The world in a box: a real engine over a simulated clock, disk and wire; people who ask, work and look; weather; and an
 * oracle who listens. Several lives end badly, the last one is calm. Everything random comes from the seed, so one seed has
 * one history, and a history that went wrong can be lived again.
 */
import { audit } from "./audit.ts";
import { judgeLiveness } from "./calm-life.ts";
import { Chronicle } from "./chronicle.ts";
import { Dice } from "./dice.ts";
import { counted, errorWords, Journal } from "./journal.ts";
import { Life } from "./life.ts";
import { Oracle } from "./oracle.ts";
import { WishCounter } from "./producer.ts";
import { drawSettings, People, settingsWords } from "./scenery.ts";
import { SimClock } from "./sim-clock.ts";
import { SimDisk } from "./sim-disk.ts";
import { type OpenEngine, openEngine } from "./sim-engine.ts";
import { SimLogger } from "./sim-logger.ts";
import { drawCalm, drawStorm, gentleWorkers, type Weather } from "./weather.ts";
import { Wire } from "./wire.ts";

export interface WorldOptions {
  /** Lives before the calm one; default 3. */
  readonly lives?: number;
  /** How each life gets its engine: a test that plants a fault gives its own. */
  readonly open?: (life: number, isCalm: boolean) => OpenEngine;
}

export interface WorldReport {
  readonly seed: number;
  /** Empty = all is well. */
  readonly complaints: readonly string[];
  /** The history, one line an event. */
  readonly journal: readonly string[];
  readonly lives: number;
  readonly accepted: number;
  readonly sent: number;
  readonly redelivered: number;
  readonly acked: number;
  readonly failed: number;
  readonly lostWrites: number;
  readonly simulatedMs: number;
}

/** Traffic of the calm life before the world asks for the end of everything. */
const CALM_TRAFFIC_MS = 2000;
/** Nothing in a life may take longer than this. */
const LIFE_MS_MAX = 2 * 60 * 60_000;

/** Lives one world. Never rejects for what the server did: that is in the report. */
export async function runWorld(seed: number, options: WorldOptions = {}): Promise<WorldReport> {
  const world = new World(seed, options);
  return await world.run();
}

class World {
  readonly #seed: number;
  readonly #options: WorldOptions;
  readonly #dice: Dice;
  readonly #clock = new SimClock();
  readonly #disk = new SimDisk();
  readonly #journal: Journal;
  readonly #oracle: Oracle;
  readonly #wire: Wire;
  readonly #people: People;
  readonly #wishes = new WishCounter();
  readonly #startedAt: number;
  #weather: Weather;
  #lostWrites = 0;
  /** Counts the boots of the machine; undefined = it does not name them. */
  #boot: number | undefined;
  /** A promise of the world's own that failed. */
  #broken: unknown;

  constructor(seed: number, options: WorldOptions) {
    this.#seed = seed;
    this.#options = options;
    this.#dice = new Dice(seed);
    this.#startedAt = this.#clock.now();
    this.#journal = new Journal(this.#clock);
    const settings = drawSettings(this.#dice);
    this.#boot = this.#dice.chance(0.8) ? 1 : undefined;
    const clock = this.#clock;
    const journal = this.#journal;
    this.#oracle = new Oracle(new Chronicle({ clock, journal, settings }));
    this.#weather = drawCalm(this.#dice.fork());
    this.#wire = new Wire({ clock, oracle: this.#oracle, dice: this.#dice.fork(), weather: this.#weather.wire });
    this.#people = new People({
      clock,
      journal,
      wire: this.#wire,
      oracle: this.#oracle,
      wishes: this.#wishes,
      dice: this.#dice.fork(),
      weather: () => this.#weather,
    });
    journal.note("world", `seed ${seed}: ${settingsWords(settings)}`);
  }

  async run(): Promise<WorldReport> {
    const lives = this.#options.lives ?? 3;
    try {
      for (let life = 1; life <= lives && !this.#isOver; life += 1) await this.#stormyLife();
      if (!this.#isOver) await this.#calmLife();
    } catch (error) {
      this.#oracle.chronicle.complain("E", `an error came out of the engine: ${errorWords(error)}`);
    }
    if (this.#broken !== undefined) this.#oracle.chronicle.complain("E", errorWords(this.#broken));
    return this.#report();
  }

  get #isOver(): boolean {
    return this.#oracle.chronicle.complaints.length > 0 || this.#broken !== undefined;
  }

  async #stormyLife(): Promise<void> {
    const weather = drawStorm(this.#dice.fork());
    const life = await this.#begin(weather);
    let isAtItsEnd = false;
    await this.#open(life, () => {
      isAtItsEnd = true;
    });
    await this.#clock.run(this.#clock.now() + LIFE_MS_MAX, () => isAtItsEnd || life.state !== "open" || this.#isOver);
    if (this.#isOver) return;
    if (life.state === "failed") await this.#afterFailure(life);
    else if (weather.crash?.ending === "orderly stop" && life.engine !== undefined) await this.#stop(life);
    this.#bury(life);
  }

  async #calmLife(): Promise<void> {
    const weather = drawCalm(this.#dice.fork());
    const life = await this.#begin(weather);
    await this.#open(life, () => undefined);
    const { engine } = life;
    if (engine === undefined || life.state !== "open") {
      if (!this.#isOver)
        this.#oracle.chronicle.complain(
          "L1",
          `nothing stands in its way, and the server does not come up: ${errorWords(life.failure)}`,
        );
      return;
    }
    await this.#clock.run(this.#clock.now() + CALM_TRAFFIC_MS, () => this.#isOver);
    this.#journal.heading("from now on nobody asks for more, and workers only ack");
    const judging = judgeLiveness(engine, {
      life,
      clock: this.#clock,
      oracle: this.#oracle,
      people: this.#people,
      dice: this.#dice.fork(),
      becomeGentle: () => {
        this.#weather = { ...weather, workers: gentleWorkers };
        this.#wire.weather = { ...weather.wire, streamCut: 0 };
      },
    });
    if (!(await this.#finishes(judging)))
      this.#oracle.chronicle.complain("L1", "the server does not answer the oracle");
    for (const what of this.#isOver ? [] : (life.door?.unanswered ?? [])) {
      this.#oracle.chronicle.complain("L1", `no answer was ever given to: ${what}`);
    }
    if (life.state !== "open")
      this.#oracle.chronicle.complain("E", `a calm life ended by itself: ${errorWords(life.failure)}`);
    if (!this.#isOver) await this.#stop(life);
  }

  async #begin(weather: Weather): Promise<Life> {
    this.#oracle.lifeBegins();
    const number = this.#oracle.chronicle.life;
    this.#journal.heading(`life ${number}: ${weather.words}`);
    this.#weather = weather;
    this.#wire.weather = weather.wire;
    if (number > 1) await this.#clock.run(this.#clock.now() + weather.downMs, () => this.#isOver);
    const isCalm = weather.crash === undefined;
    return new Life({
      number,
      weather,
      clock: this.#clock,
      disk: this.#disk,
      dice: this.#dice.fork(),
      settings: this.#oracle.chronicle.settings,
      boot: this.#boot === undefined ? undefined : `boot ${this.#boot}`,
      logger: new SimLogger(this.#oracle.chronicle),
      open: this.#options.open?.(number, isCalm) ?? openEngine,
      onBroken: (what, error) => this.#oracle.chronicle.complain("E", `${what} was answered with ${errorWords(error)}`),
      onDeath: (plan) => {
        const where = plan.point === "at a time" ? "" : `, ${plan.point}`;
        this.#journal.note(
          "server",
          plan.ending === "orderly stop" ? "is asked to stop" : `dies: ${plan.ending}${where}`,
        );
        this.#onDeath?.();
      },
    });
  }

  #onDeath: (() => void) | undefined;

  /** Starts the life, and lets people in: at once, or after a quiet moment in which everything is compared. */
  async #open(life: Life, onDeath: () => void): Promise<void> {
    this.#onDeath = onDeath;
    this.#journal.note("server", "starts");
    life.start();
    const isDead = () => life.state === "over" || life.state === "failed" || this.#isOver;
    await this.#clock.run(this.#clock.now() + LIFE_MS_MAX, () => life.door !== undefined || isDead());
    const { engine } = life;
    if (engine === undefined || isDead()) return;
    this.#journal.note("server", "opens its doors");
    void engine.ready.then(
      () => {
        if (isDead()) return;
        this.#journal.note("server", "knows all its jobs again");
        this.#oracle.memoryRebuilt();
      },
      () => undefined,
    );
    if (life.weather.quietStart) {
      await this.#clock.run(this.#clock.now() + LIFE_MS_MAX, () => life.isReady || isDead());
      if (!isDead()) {
        await this.#finishes(audit(life, engine, this.#oracle, this.#dice.fork()), isDead);
        this.#journal.note("oracle", "has compared everything with what was said");
      }
    }
    this.#wire.door = life.door;
    this.#people.startAll();
  }

  /** The engine gave up after a failed write. Its process may linger, and must keep quiet, or go at once. */
  async #afterFailure(life: Life): Promise<void> {
    this.#journal.note("server", `gives up: ${errorWords(life.failure)}`);
    const left = life.door?.openStreams ?? 0;
    if (left > 0) this.#oracle.chronicle.complain("L1", `a life is over and leaves ${counted(left, "stream")} open`);
    if (this.#dice.chance(0.5)) return;
    await this.#clock.run(this.#clock.now() + this.#dice.skewed(1, 2000), () => this.#isOver);
    if (!this.#isOver) await this.#stop(life);
  }

  async #stop(life: Life): Promise<void> {
    let unanswered: readonly string[] | undefined;
    const stopping = life.stop().then((left) => {
      unanswered = left;
    });
    // Its end may still overtake it while it stops.
    await this.#finishes(stopping, () => this.#isOver || life.state === "over");
    if (this.#isOver) return;
    if (life.state !== "over") this.#oracle.chronicle.complain("L1", "the server was asked to stop and never does");
    for (const what of unanswered ?? [])
      this.#oracle.chronicle.complain("L1", `the server stopped and left unanswered: ${what}`);
    this.#journal.note("server", "has stopped");
  }

  /** What is left when a process is gone. */
  #bury(life: Life): void {
    life.die();
    this.#wire.door = undefined;
    this.#people.stopAsking();
    let lost: number | undefined;
    if (life.weather.crash?.ending === "power cut" && life.state !== "failed") {
      if (this.#boot !== undefined) this.#boot += 1;
      lost = this.#disk.cutPower(() => this.#dice.chance(0.5));
      this.#lostWrites += lost;
      this.#journal.note("disk", `loses ${counted(lost, "write")} that ${lost === 1 ? "was" : "were"} not synced`);
    }
    this.#oracle.lifeEnds(lost);
  }

  /** Drives the clock until a promise settles; false = it does not, or there is no use in waiting. */
  async #finishes(promise: Promise<unknown>, isInVain: () => boolean = () => this.#isOver): Promise<boolean> {
    let isSettled = false;
    promise.then(
      () => {
        isSettled = true;
      },
      (error: unknown) => {
        isSettled = true;
        if (!isInVain()) this.#broken = error;
      },
    );
    await this.#clock.run(this.#clock.now() + LIFE_MS_MAX, () => isSettled || isInVain());
    return isSettled || isInVain();
  }

  #report(): WorldReport {
    const { enqueues, settles, streams, chronicle } = this.#oracle;
    return {
      seed: this.#seed,
      complaints: chronicle.complaints,
      journal: this.#journal.lines,
      lives: chronicle.life,
      accepted: enqueues.accepted,
      sent: streams.sent,
      redelivered: streams.redelivered,
      acked: settles.confirmed,
      failed: settles.failed,
      lostWrites: this.#lostWrites,
      simulatedMs: this.#clock.now() - this.#startedAt,
    };
  }
}
