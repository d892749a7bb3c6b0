/**
 * Time in a box. The clock stands still while anything is left to do: it lets all promises settle, then runs what waits in
 * `soon` one by one, and only when nothing is left does it jump to the next alarm. So a simulated hour costs as much as
 * what happens in it, and one seed has one history.
 *
 * Inside, time has fractions of a millisecond, so that events of one millisecond have an order of their own; `now()` shows
 * whole ones (T1). What a process sets must die with it: each life takes a `ClockLife`, and `end()` forgets every alarm of
 * that life. (The first bug a sketch of this simulation found was its own: a dead life's timers rang on.)
 */
import { type Instant, instant } from "@millrace/protocol/ids";
import { BrokenInvariant } from "../../src/base/assert.ts";
import type { Alarm, Clock } from "../../src/base/clock.ts";

/** 2024-01-01T00:00:00Z, so that instants look like instants. */
const START_MS = 1_704_067_200_000;
/** More steps than this at one instant are a loop that never comes to rest. */
const STEPS_AT_ONE_INSTANT_MAX = 200_000;

interface Event {
  readonly at: number;
  /** Order of setting, for events of one instant. */
  readonly turn: number;
  readonly life: ClockLife;
  readonly run: () => void;
  cancelled: boolean;
}

/** A clock whose alarms die together. */
export class ClockLife implements Clock {
  readonly #clock: SimClock;
  #ended = false;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  now(): Instant {
    return this.#clock.now();
  }

  after(ms: number, ring: () => void): Alarm {
    return this.#clock.set(this, ms, ring);
  }

  soon(run: () => void): void {
    this.#clock.queue(this, run);
  }

  /** Forgets every alarm and every `soon` of this life; what is set from now on never rings. */
  end(): void {
    this.#ended = true;
  }
}

export class SimClock implements Clock {
  readonly #outside = new ClockLife(this);
  readonly #alarms = new EventHeap();
  #soon: Event[] = [];
  #time: number;
  #turn = 0;
  #stepsHere = 0;

  constructor(startMs: number = START_MS) {
    this.#time = startMs;
  }

  now(): Instant {
    return instant(Math.floor(this.#time));
  }

  after(ms: number, ring: () => void): Alarm {
    return this.#outside.after(ms, ring);
  }

  soon(run: () => void): void {
    this.#outside.soon(run);
  }

  /** A clock for one process: same time, alarms of its own. */
  life(): ClockLife {
    return new ClockLife(this);
  }

  /** Resolves after `ms`; for the people outside, who outlive every process. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** How `ClockLife` sets an alarm. */
  set(life: ClockLife, ms: number, run: () => void): Alarm {
    const event = this.#event(life, this.#time + Math.max(0, ms), run);
    if (!life.hasEnded) this.#alarms.push(event);
    return {
      cancel() {
        event.cancelled = true;
      },
    };
  }

  /** How `ClockLife` joins the queue of `soon`. */
  queue(life: ClockLife, run: () => void): void {
    if (!life.hasEnded) this.#soon.push(this.#event(life, this.#time, run));
  }

  /**
   * Lets the world go on until the given time, or until `enough` says so (asked between two steps, the clock then stays
   * where it is). What a step throws comes out here.
   */
  async run(until: number, enough: () => boolean = () => false): Promise<void> {
    for (;;) {
      await allSettled();
      if (enough()) return;
      const event = this.#next(until);
      if (event === undefined) {
        this.#time = Math.max(this.#time, until);
        return;
      }
      this.#stepsHere = event.at > this.#time ? 0 : this.#stepsHere + 1;
      if (this.#stepsHere > STEPS_AT_ONE_INSTANT_MAX)
        throw new BrokenInvariant("time stands still: the world never comes to rest");
      this.#time = Math.max(this.#time, event.at);
      event.run();
    }
  }

  #next(until: number): Event | undefined {
    for (let event = this.#soon.shift(); event !== undefined; event = this.#soon.shift()) {
      if (isLive(event)) return event;
    }
    for (let first = this.#alarms.first; first !== undefined; first = this.#alarms.first) {
      if (isLive(first)) {
        if (first.at > until) return undefined;
        this.#alarms.pop();
        return first;
      }
      this.#alarms.pop();
    }
    return undefined;
  }

  #event(life: ClockLife, at: number, run: () => void): Event {
    this.#turn += 1;
    return { at, turn: this.#turn, life, run, cancelled: false };
  }
}

function isLive(event: Event): boolean {
  return !event.cancelled && !event.life.hasEnded;
}

/** Node empties its queue of settled promises before the next immediate. Nothing in the box does real input or output. */
function allSettled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A binary heap by (at, turn). */
class EventHeap {
  readonly #events: Event[] = [];

  get first(): Event | undefined {
    return this.#events[0];
  }

  push(event: Event): void {
    const events = this.#events;
    let place = events.length;
    events.push(event);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = events[above];
      if (other === undefined || !isBefore(event, other)) break;
      events[place] = other;
      place = above;
    }
    events[place] = event;
  }

  pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const left = events[below];
      if (left === undefined) break;
      const right = events[below + 1];
      let other = left;
      if (right !== undefined && isBefore(right, left)) {
        other = right;
        below += 1;
      }
      if (!isBefore(other, last)) break;
      events[place] = other;
      place = below;
    }
    events[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn);
}
