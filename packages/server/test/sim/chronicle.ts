/**
 * What was said aloud, and what was wrong with it. All parts of the oracle write here.
 *
 *   S1 an accepted job is never lost, nor changed, nor is there one that nobody asked for
 *   S2 a job that is over for certain is never handed out again, and is over only once
 *   S3 one delivery of a job at a time, named by a token of its own; the holder's answer counts
 *   S4 a stream never holds more than its credit, all together never more than the global limit, and a full one is left alone
 *   S5 among the ready jobs of a queue the best goes first, and none before its time
 *   S8 memory equals the store
 *   L1 every request gets an answer · L2 every accepted job ends · L3 credit comes back to full
 */
import { invariant } from "../../src/base/assert.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { EngineSettings } from "../../src/engine/settings.ts";
import type { JobFacts, Moment, Order, Wish } from "./job-facts.ts";
import { newFacts } from "./job-facts.ts";
import type { Journal } from "./journal.ts";

export type Property = "S1" | "S2" | "S3" | "S4" | "S5" | "S8" | "L1" | "L2" | "L3" | "E";

/** Jobs that count as recent. */
const RECENT_MAX = 8;

export class Chronicle {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly settings: EngineSettings;
  readonly jobs = new Map<string, JobFacts>();
  /** Jobs of each wish, by its number. */
  readonly #granted = new Map<number, JobFacts[]>();
  readonly #orders = new Map<number, Order>();
  readonly #complaints: string[] = [];
  readonly #recent: string[] = [];
  #turn = 0;
  /** The number of the life that is lived now, from 1. */
  life = 0;

  constructor(options: { clock: Clock; journal: Journal; settings: EngineSettings }) {
    this.clock = options.clock;
    this.journal = options.journal;
    this.settings = options.settings;
  }

  get complaints(): readonly string[] {
    return this.#complaints;
  }

  get orders(): Iterable<Order> {
    return new Set(this.#orders.values());
  }

  /** @param property E = the engine broke a promise of its interface */
  complain(property: Property, text: string): void {
    this.#complaints.push(`${property}: ${text}`);
    this.journal.note("ORACLE", `!! ${property}: ${text}`);
  }

  /** Jobs that something happened to just now, the latest last. */
  get recent(): readonly string[] {
    return this.#recent;
  }

  /** Something happens to a job. */
  touch(id: string): void {
    this.#recent.push(id);
    if (this.#recent.length > RECENT_MAX) this.#recent.shift();
  }

  moment(): Moment {
    this.#turn += 1;
    return { turn: this.#turn, at: this.clock.now() };
  }

  /** An order is on its way to a server. */
  place(order: Order): void {
    for (const wish of order.wishes) this.#orders.set(wish.number, order);
  }

  /** The jobs that came of a wish; more than one, when its request arrived more than once. */
  grantedFor(wish: Wish): readonly JobFacts[] {
    return this.#granted.get(wish.number) ?? [];
  }

  /** The job's facts; a job not seen before must be one that somebody wished for. Undefined = nobody did. */
  know(id: string, payload: Buffer): JobFacts | undefined {
    const known = this.jobs.get(id);
    if (known !== undefined) return known;
    const number = wishNumberIn(payload);
    const order = number === undefined ? undefined : this.#orders.get(number);
    const wish = order?.wishes.find((candidate) => candidate.number === number);
    if (order === undefined || wish === undefined) {
      this.complain("S1", `job ${id} is one that nobody asked for`);
      return undefined;
    }
    return this.meet(id, wish, order);
  }

  /** A job of this wish shows itself for the first time. */
  meet(id: string, wish: Wish, order: Order): JobFacts {
    invariant(!this.jobs.has(id), "a job was met twice");
    const granted = this.#granted.get(wish.number) ?? [];
    const name =
      granted.length === 0 ? `job ${wish.number}` : `job ${wish.number}${"bcdefgh".charAt(granted.length - 1)}`;
    const facts = newFacts(id, name, wish, order);
    this.jobs.set(id, facts);
    granted.push(facts);
    this.#granted.set(wish.number, granted);
    if (granted.length > order.arrivals) {
      this.complain("S1", `${granted.length} jobs came of wish ${wish.number}, which arrived ${order.arrivals} times`);
    }
    return facts;
  }
}

/** Every payload of the world begins with the number of its wish: `{"wish":17,…`. */
function wishNumberIn(payload: Buffer): number | undefined {
  const found = /^\{"wish":(\d+)/.exec(payload.subarray(0, 24).toString("latin1"));
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
