import { invariant } from "../base/assert.ts";
import type { JobRows } from "./job-rows.ts";
import type { Slot } from "./job-table.ts";
import { SlotList } from "./slot-list.ts";

/** What one session holds, in the order it was claimed. */
class Holding extends SlotList {
  readonly session: number;

  constructor(rows: JobRows, session: number) {
    super(rows);
    this.session = session;
  }
}

/** Who has which job. Facts, not credits: how much a session may still take is computed from what it holds. */
export class InFlightIndex {
  readonly #rows: JobRows;
  readonly #sessions = new Map<number, Holding>();
  readonly #holders = new Map<Slot, Holding>();

  constructor(rows: JobRows) {
    this.#rows = rows;
  }

  get size(): number {
    return this.#holders.size;
  }

  add(slot: Slot, session: number): void {
    let holding = this.#sessions.get(session);
    if (holding === undefined) {
      holding = new Holding(this.#rows, session);
      this.#sessions.set(session, holding);
    }
    holding.append(slot);
    this.#holders.set(slot, holding);
  }

  /** Takes out a job that is here. A session that holds nothing any more is forgotten. */
  remove(slot: Slot): void {
    const holding = this.#holders.get(slot);
    invariant(holding !== undefined, "a job in flight is held by nobody");
    holding.remove(slot);
    this.#holders.delete(slot);
    if (holding.length === 0) this.#sessions.delete(holding.session);
  }

  /** -1 = the job is not in flight. */
  sessionOf(slot: Slot): number {
    return this.#holders.get(slot)?.session ?? -1;
  }

  /** In the order of claim; void after the next change. */
  heldBy(session: number): Iterable<Slot> {
    return this.#sessions.get(session) ?? [];
  }

  heldCount(session: number): number {
    return this.#sessions.get(session)?.length ?? 0;
  }

  /** Every job in flight, in no particular order; void after the next change. */
  slots(): Iterable<Slot> {
    return this.#holders.keys();
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    let found = 0;
    for (const holding of this.#sessions.values()) {
      yield* holding.faults();
      for (const slot of holding) {
        found += 1;
        const status = this.#rows.status(slot);
        if (status !== "in_flight") yield `slot ${slot} is in flight here and ${status} in the table`;
        if (this.#holders.get(slot) !== holding) yield `slot ${slot} is held by two sessions`;
      }
    }
    if (found !== this.#holders.size) yield `${found} jobs are held, ${this.#holders.size} are in flight`;
  }
}
