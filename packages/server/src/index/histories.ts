/**
 * What a job has been through: failed attempts, lost workers, when it was last taken and last failed; and while it is in
 * flight, who has it. Most waiting jobs have been through nothing and take no row here; that saves half of their memory.
 */
import type { Instant } from "@millrace/protocol/ids";
import { instant } from "@millrace/protocol/ids";
import type { LiveJob } from "../job/job.ts";
import { Rows } from "./rows.ts";

const attempts = 0;
const lost = 1;
const dequeuedAt = 2;
const failedAt = 4;
const delivery = 6;
const session = 7;
const width = 8;
const two32 = 2 ** 32;

export class Histories {
  readonly #rows = new Rows(width);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * Writes a job's history.
   * @param number where it was before; 0 = nowhere
   * @returns where it is now; 0 = nowhere, the job has none
   */
  write(number: number, job: LiveJob): number {
    if (!hasHistory(job)) {
      this.remove(number);
      return 0;
    }
    const row = number === 0 ? this.#add() : number - 1;
    this.#rows.set(row, attempts, job.attempts);
    this.#rows.set(row, lost, job.lost);
    this.#setInstant(row, dequeuedAt, job.dequeuedAt);
    this.#setInstant(row, failedAt, job.failedAt);
    return row + 1;
  }

  remove(number: number): void {
    if (number === 0) return;
    this.#rows.free(number - 1);
    this.#size -= 1;
  }

  attempts(number: number): number {
    return number === 0 ? 0 : this.#rows.get(number - 1, attempts);
  }

  lost(number: number): number {
    return number === 0 ? 0 : this.#rows.get(number - 1, lost);
  }

  dequeuedAt(number: number): Instant | undefined {
    return number === 0 ? undefined : this.#instant(number - 1, dequeuedAt);
  }

  failedAt(number: number): Instant | undefined {
    return number === 0 ? undefined : this.#instant(number - 1, failedAt);
  }

  /** The number of the job's delivery token, given by {@link setDelivery}; 0 = it is not in flight. */
  delivery(number: number): number {
    return number === 0 ? 0 : this.#rows.get(number - 1, delivery);
  }

  /** Only for a job with a history: whoever was taken has one. */
  setDelivery(number: number, token: number): void {
    this.#rows.set(number - 1, delivery, token);
  }

  /** The session that took the job last. */
  session(number: number): number {
    return this.#rows.get(number - 1, session);
  }

  setSession(number: number, value: number): void {
    this.#rows.set(number - 1, session, value);
  }

  #add(): number {
    this.#size += 1;
    const row = this.#rows.allocate();
    this.#rows.set(row, delivery, 0);
    return row;
  }

  /** Two words: the upper one plus 1, so that 0 says "never"; then the lower one. */
  #setInstant(row: number, word: number, at: Instant | undefined): void {
    this.#rows.set(row, word, at === undefined ? 0 : Math.floor(at / two32) + 1);
    this.#rows.set(row, word + 1, at ?? 0);
  }

  #instant(row: number, word: number): Instant | undefined {
    const high = this.#rows.get(row, word);
    return high === 0 ? undefined : instant((high - 1) * two32 + this.#rows.get(row, word + 1));
  }
}

function hasHistory(job: LiveJob): boolean {
  return job.attempts > 0 || job.lost > 0 || job.dequeuedAt !== undefined || job.failedAt !== undefined;
}
