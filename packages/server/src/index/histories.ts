/**
 * What a job has been through: failed attempts, lost workers, when it was last taken and last failed. Most waiting jobs have
 * been through nothing and take no row here; that saves a third of their memory.
 */
import type { Instant } from "@millrace/protocol/ids";
import { instant } from "@millrace/protocol/ids";
import type { LiveJob } from "../job/job.ts";
import { Rows } from "./rows.ts";

const attempts = 0;
const lost = 1;
const dequeuedAt = 2;
const failedAt = 4;
const width = 6;
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
    const row = number === 0 ? this.#allocate() : number - 1;
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

  #allocate(): number {
    this.#size += 1;
    return this.#rows.allocate();
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
