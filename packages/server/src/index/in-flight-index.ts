import { invariant } from "../base/assert.ts";
import type { JobTable, Slot } from "./job-table.ts";
import { SlotList } from "./slot-list.ts";

/**
 * Who has which job. Facts, not credits: how much a session may still take is computed from what it holds. The session is
 * named in the job's history, and what a session holds is linked in the order of claim.
 */
export class InFlightIndex {
  readonly #table: JobTable;
  readonly #sessions = new Map<number, SlotList>();
  #size = 0;

  constructor(table: JobTable) {
    this.#table = table;
  }

  get size(): number {
    return this.#size;
  }

  /** The job was written as in flight already. */
  add(slot: Slot, session: number): void {
    let held = this.#sessions.get(session);
    if (held === undefined) {
      held = new SlotList(this.#table.rows);
      this.#sessions.set(session, held);
    }
    held.append(slot);
    this.#table.setSession(slot, session);
    this.#size += 1;
  }

  /** Takes out a job that is here. A session that holds nothing any more is forgotten. */
  remove(slot: Slot): void {
    const session = this.#table.session(slot);
    const held = this.#sessions.get(session);
    invariant(held !== undefined, "a job in flight is held by nobody");
    held.remove(slot);
    this.#size -= 1;
    if (held.length === 0) this.#sessions.delete(session);
  }

  /** In the order of claim; void after the next change. */
  heldBy(session: number): Iterable<Slot> {
    return this.#sessions.get(session) ?? [];
  }

  heldCount(session: number): number {
    return this.#sessions.get(session)?.length ?? 0;
  }

  /** Every job in flight, in no particular order; void after the next change. */
  *slots(): Generator<Slot> {
    for (const held of this.#sessions.values()) yield* held;
  }

  /** What is broken; nothing when all is well. */
  *faults(): Generator<string> {
    let found = 0;
    for (const [session, held] of this.#sessions) {
      yield* held.faults();
      if (held.length === 0) yield `session ${session} holds nothing and is not forgotten`;
      for (const slot of held) {
        found += 1;
        const holder = this.#table.session(slot);
        if (holder !== session) yield `slot ${slot} is held by session ${session}, the table says ${holder}`;
      }
    }
    if (found !== this.#size) yield `${found} jobs are held, ${this.#size} were counted`;
  }
}
