/** Somebody who wants jobs done: now or later, one or many, urgent or not, with options or without. */
import { instant, parseQueueName, parseTypeName } from "@millrace/protocol/ids";
import { invariant } from "../../src/base/assert.ts";
import type { JobOptions, JobRequest, Payload } from "../../src/job/job.ts";
import type { Dice } from "./dice.ts";
import type { Order, Wish } from "./job-facts.ts";
import { counted, type Journal } from "./journal.ts";
import type { Oracle } from "./oracle.ts";
import type { SimClock } from "./sim-clock.ts";
import type { TrafficWeather } from "./weather.ts";
import type { Wire } from "./wire.ts";

export const queueNames = ["mail", "media", "reports"] as const;
const typeNames = ["send", "resize", "count"] as const;
const BULK_MAX = 8;
/** Longest that a job is put off. */
const DELAY_MS = 20_000;

/** What a job may bring along; few profiles, as in life. */
const profiles: readonly [JobOptions, ...JobOptions[]] = [
  {},
  {},
  { retryLimit: 0 },
  { retryLimit: 3, backoff: { exponent: 1, baseMs: 10, jitterMs: 500 } },
  { completedRetentionMs: 5000, deadRetentionMs: 0 },
  { completedRetentionMs: 0, deadRetentionMs: 2000, retryLimit: 1 },
];

/** Numbers the wishes of one world. */
export class WishCounter {
  #last = 0;

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  get count(): number {
    return this.#last;
  }
}

interface ProducerOptions {
  readonly name: string;
  readonly clock: SimClock;
  readonly wire: Wire;
  readonly dice: Dice;
  readonly journal: Journal;
  readonly oracle: Oracle;
  readonly wishes: WishCounter;
  readonly weather: () => TrafficWeather;
}

export class Producer {
  readonly #options: ProducerOptions;
  /** Changes with each start and stop, so that the loop of an earlier shift ends. */
  #shift = 0;

  constructor(options: ProducerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#shift += 1;
    void this.#work(this.#shift);
  }

  stop(): void {
    this.#shift += 1;
  }

  async #work(shift: number): Promise<void> {
    const { clock, dice, weather } = this.#options;
    for (;;) {
      await clock.sleep(dice.spread(0, 2000 / weather().enqueuesPerSecond));
      if (shift !== this.#shift) return;
      const size = dice.chance(0.7) ? 1 : dice.between(1, BULK_MAX);
      // It does not wait for the answer: producers are many.
      void this.order(Array.from({ length: size }, () => this.#request()));
    }
  }

  /** Asks for these jobs, in one request. */
  async order(drafts: readonly ((number: number) => JobRequest)[]): Promise<void> {
    const { name, wire, wishes, oracle, journal } = this.#options;
    const made: Wish[] = drafts.map((draft) => {
      const number = wishes.next();
      return { number, request: draft(number) };
    });
    const order: Order = { wishes: made, arrivals: 0 };
    const words = namesOf(made);
    journal.note(name, `asks for ${words}`);
    const outcome = await wire.call({
      what: `enqueue of ${words}`,
      run: (verbs) => verbs.enqueue(made.map(({ request }) => request)),
      arrives: () => oracle.enqueues.begins(order),
    });
    const said =
      outcome.kind === "answered" ? "accepted" : outcome.kind === "refused" ? `refused, ${outcome.code}` : "no answer";
    journal.note(name, `hears of ${words}: ${said}`);
  }

  #request(): (number: number) => JobRequest {
    const { dice, clock } = this.#options;
    return (number) => ({
      queue: queueOf(dice.pick(queueNames)),
      type: typeOf(dice.pick(typeNames)),
      payload: payloadOf(number, dice.chance(0.1) ? dice.between(1000, 3000) : dice.between(0, 60)),
      priority: dice.chance(0.6) ? 32768 : dice.pick([0, 1, 100, 32767, 65535]),
      readyAt: dice.chance(0.25) ? instant(clock.now() + Math.floor(dice.skewed(-1000, DELAY_MS))) : undefined,
      options: dice.pick(profiles),
    });
  }
}

/** A plain job, for whoever needs one. */
export function plainRequest(queue: string): (number: number) => JobRequest {
  return (number) => ({
    queue: queueOf(queue),
    type: typeOf("count"),
    payload: payloadOf(number, 0),
    priority: 32768,
    readyAt: undefined,
    options: {},
  });
}

/** The number of its wish stands in each payload (chronicle.ts reads it); the rest makes it longer. */
function payloadOf(number: number, filling: number): Payload {
  return { format: "json", bytes: Buffer.from(`{"wish":${number},"text":"${"x".repeat(filling)}"}`) };
}

function namesOf(wishes: readonly Wish[]): string {
  const [first] = wishes;
  const last = wishes.at(-1);
  if (first === undefined || last === undefined) return "nothing";
  if (wishes.length === 1) return `job ${first.number} (${first.request.queue}, priority ${first.request.priority})`;
  return `${counted(wishes.length, "job")}, ${first.number} to ${last.number}`;
}

function queueOf(text: string): JobRequest["queue"] {
  const name = parseQueueName(text);
  invariant(name !== undefined, "the simulation uses a queue name that is none");
  return name;
}

function typeOf(text: string): JobRequest["type"] {
  const name = parseTypeName(text);
  invariant(name !== undefined, "the simulation uses a type name that is none");
  return name;
}
