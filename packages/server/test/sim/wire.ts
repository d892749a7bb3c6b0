/**
 * Everything between the server and everybody else: delay, loss, doubling, broken streams. It belongs to the world, not to a
 * process, so a request that was sent to one life may arrive in the next.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { TakeRequest } from "../../src/engine/verbs.ts";
import type { Dice } from "./dice.ts";
import type { Call, Door } from "./door.ts";
import type { Oracle } from "./oracle.ts";
import type { Outcome } from "./outcome.ts";
import type { SimClock } from "./sim-clock.ts";
import { SimStream, type StreamReader } from "./sim-stream.ts";
import type { WireWeather } from "./weather.ts";

/** How long a client waits for an answer before it believes that none will come. */
const PATIENCE_MS = 15_000;

export class Wire {
  readonly #clock: SimClock;
  readonly #oracle: Oracle;
  readonly #dice: Dice;
  #weather: WireWeather;
  #door: Door | undefined;

  constructor(options: { clock: SimClock; oracle: Oracle; dice: Dice; weather: WireWeather }) {
    this.#clock = options.clock;
    this.#oracle = options.oracle;
    this.#dice = options.dice;
    this.#weather = options.weather;
  }

  set weather(weather: WireWeather) {
    this.#weather = weather;
  }

  /** Whom requests reach from now on; undefined = nobody listens. */
  set door(door: Door | undefined) {
    this.#door = door;
  }

  /** Sends a request and waits for the answer as long as a client would. Never rejects. */
  async call<T>(call: Call<T>): Promise<Outcome<T>> {
    const { requestLost, requestTwice, replyLost } = this.#weather;
    const dice = this.#dice;
    if (dice.chance(requestTwice)) void this.#deliver(call);
    const answer = dice.chance(requestLost) ? this.#silence<T>() : this.#deliver(call);
    const outcome = await Promise.race([answer, this.#silence<T>()]);
    if (outcome.kind !== "unheard" && dice.chance(replyLost)) return await this.#silence<T>();
    await this.#clock.sleep(this.#weather.delayMs());
    return outcome;
  }

  /** Opens a take stream; undefined = it was refused, or nobody listens. */
  async take(name: string, request: TakeRequest, reader: StreamReader): Promise<SimStream | undefined> {
    await this.#clock.sleep(this.#weather.delayMs());
    const door = this.#door;
    if (door?.isOpen !== true) return undefined;
    const { streams } = this.#oracle;
    const session = streams.opens(name, request);
    const stream: SimStream = new SimStream({
      clock: this.#clock,
      reader,
      delayMs: () => this.#weather.delayMs(),
      server: {
        sends: (messages) => {
          if (!door.isOpen) return;
          streams.sends(session, messages);
          for (const _ of messages) if (this.#dice.chance(this.#weather.streamCut)) this.#breakSoon(stream, name);
        },
        isFull: (full) => {
          session.isFull = full;
        },
        closes: () => {
          door.left(stream);
          streams.closes(session);
        },
      },
    });
    door.joined(stream);
    try {
      stream.opened(door.verbs.take(request, stream));
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
      streams.closes(session);
      door.left(stream);
      return undefined;
    }
    return stream;
  }

  /** How long after a worker's end is gone the server hears of it. */
  closeDelayMs(): number {
    if (this.#dice.chance(this.#weather.halfOpen)) return this.#dice.spread(1000, 30_000);
    return this.#weather.delayMs();
  }

  async #deliver<T>(call: Call<T>): Promise<Outcome<T>> {
    await this.#clock.sleep(this.#weather.delayMs());
    const door = this.#door;
    if (door?.isOpen !== true) return { kind: "unheard" };
    return await door.handle(call);
  }

  async #silence<T>(): Promise<Outcome<T>> {
    await this.#clock.sleep(PATIENCE_MS);
    return { kind: "unheard" };
  }

  #breakSoon(stream: SimStream, name: string): void {
    this.#clock.after(this.#weather.delayMs(), () => {
      if (stream.breakOff(this.closeDelayMs()))
        this.#oracle.chronicle.journal.note(name, "loses its stream: the wire broke");
    });
  }
}
