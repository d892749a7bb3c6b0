/** Somebody who looks at jobs, and now and then deletes one, in whatever status it is. */
import type { ListQuery } from "../../src/engine/verbs.ts";
import type { Dice } from "./dice.ts";
import type { Journal } from "./journal.ts";
import type { Oracle } from "./oracle.ts";
import { queueNames } from "./producer.ts";
import type { SimClock } from "./sim-clock.ts";
import type { TrafficWeather } from "./weather.ts";
import type { Wire } from "./wire.ts";

interface ObserverOptions {
  readonly name: string;
  readonly clock: SimClock;
  readonly wire: Wire;
  readonly dice: Dice;
  readonly journal: Journal;
  readonly oracle: Oracle;
  readonly weather: () => TrafficWeather;
}

export class Observer {
  readonly #options: ObserverOptions;
  #shift = 0;

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  start(): void {
    this.#shift += 1;
    void this.#work(
      this.#shift,
      (weather) => weather.looksPerSecond,
      () => this.#look(),
    );
    void this.#work(
      this.#shift,
      (weather) => weather.deletesPerSecond,
      () => this.#delete(),
    );
  }

  stop(): void {
    this.#shift += 1;
  }

  async #work(shift: number, perSecond: (weather: TrafficWeather) => number, act: () => Promise<void>): Promise<void> {
    const { clock, dice, weather } = this.#options;
    for (;;) {
      const rate = perSecond(weather());
      await clock.sleep(rate === 0 ? 1000 : dice.spread(0, 2000 / rate));
      if (shift !== this.#shift) return;
      if (rate > 0) void act();
    }
  }

  async #look(): Promise<void> {
    const { dice } = this.#options;
    const look = dice.pick([
      () => this.#get(),
      () => this.#get(),
      () => this.#list(),
      () => this.#countAll(),
      () => this.#errors(),
    ]);
    await look();
  }

  async #get(): Promise<void> {
    const { wire, oracle } = this.#options;
    const id = this.#someId();
    if (id === undefined) return;
    await wire.call({ what: `get of ${id}`, run: (verbs) => verbs.get(id), arrives: () => oracle.looks.begins(id) });
  }

  async #list(): Promise<void> {
    const { wire, dice, oracle } = this.#options;
    const queues = dice.chance(0.5) ? new Set([dice.pick(queueNames)]) : undefined;
    const query: ListQuery = {
      filter: queues === undefined ? {} : { queues },
      from: dice.chance(0.3) ? this.#someId() : undefined,
      order: dice.pick(["asc", "desc"]),
      limit: dice.between(1, 30),
    };
    await wire.call({
      what: "list",
      run: (verbs) => verbs.list(query),
      arrives: () => {
        const heard = oracle.looks.pageBegins(query);
        return (outcome) => {
          if (outcome.kind === "answered") heard(outcome.value);
        };
      },
    });
  }

  async #countAll(): Promise<void> {
    const { wire, dice } = this.#options;
    if (dice.chance(0.5)) await wire.call({ what: "queues", run: (verbs) => verbs.queues() });
    else await wire.call({ what: "count", run: (verbs) => verbs.count({}) });
  }

  async #errors(): Promise<void> {
    const { wire, oracle } = this.#options;
    const id = this.#someId();
    if (id === undefined) return;
    await wire.call({
      what: `errors of ${id}`,
      run: (verbs) => verbs.errors(id, { order: "asc", limit: 100 }),
      arrives: () => {
        const heard = oracle.looks.errorsBegin(id);
        return (outcome) => {
          if (outcome.kind === "answered") heard(outcome.value);
        };
      },
    });
  }

  async #delete(): Promise<void> {
    const { wire, oracle, journal, name } = this.#options;
    const id = this.#someId();
    if (id === undefined) return;
    const called = oracle.chronicle.jobs.get(id)?.name ?? id;
    journal.note(name, `deletes ${called}`);
    const outcome = await wire.call({
      what: `deletion of ${called}`,
      run: (verbs) => verbs.remove(id),
      arrives: () => oracle.settles.removalBegins(id),
    });
    const said =
      outcome.kind === "answered" ? "done" : outcome.kind === "refused" ? `refused, ${outcome.code}` : "nothing";
    journal.note(name, `hears of its deletion of ${called}: ${said}`);
  }

  /** One of the jobs that were ever seen, more likely one that something just happened to. */
  #someId(): string | undefined {
    const { oracle, dice } = this.#options;
    const ids = [...oracle.chronicle.jobs.keys()];
    return dice.pickAny(dice.pick([ids, ids.slice(-30), oracle.chronicle.recent, oracle.chronicle.recent]));
  }
}
