/**
 * Job options by value: a producer sends the same few again and again, so a row holds a number, and one object serves all
 * jobs that have equal options. References are counted; number 0 is "no options" and always there.
 */
import { invariant } from "../base/assert.ts";
import type { JobOptions } from "../job/job.ts";
import { Numbered } from "./numbered.ts";

interface Entry {
  readonly number: number;
  readonly key: string;
  readonly options: JobOptions;
  jobs: number;
}

const noOptions: JobOptions = {};

export class OptionsTable {
  readonly #entries = new Numbered<Entry>();
  readonly #byKey = new Map<string, Entry>();
  /** What was added last: jobs of one producer come in a row, and comparing is cheaper than spelling a key. */
  #last: Entry | undefined;

  constructor() {
    this.#entries.add({ number: 0, key: keyOf(noOptions), options: noOptions, jobs: 0 });
  }

  /** Distinct options in use, not counting "none". */
  get size(): number {
    return this.#byKey.size;
  }

  get(number: number): JobOptions {
    return this.#at(number).options;
  }

  /** The number of these options, for one more job. */
  add(options: JobOptions): number {
    if (isEmpty(options)) return 0;
    const entry =
      this.#last !== undefined && isEqual(options, this.#last.options) ? this.#last : this.#entryOf(options);
    entry.jobs += 1;
    this.#last = entry;
    return entry.number;
  }

  /** One job less has the options of this number. */
  remove(number: number): void {
    if (number === 0) return;
    const entry = this.#at(number);
    entry.jobs -= 1;
    if (entry.jobs > 0) return;
    this.#entries.remove(number);
    this.#byKey.delete(entry.key);
    if (this.#last === entry) this.#last = undefined;
  }

  /** What is wrong, given how many live jobs have each number. */
  *faults(jobsByNumber: ReadonlyMap<number, number>): Generator<string> {
    for (const { number, key, jobs } of this.#byKey.values()) {
      const found = jobsByNumber.get(number) ?? 0;
      if (found !== jobs) yield `options ${key}: ${jobs} jobs counted, ${found} found`;
    }
  }

  #entryOf(options: JobOptions): Entry {
    const key = keyOf(options);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const entry: Entry = { number: this.#entries.next, key, options, jobs: 0 };
    this.#entries.add(entry);
    this.#byKey.set(key, entry);
    return entry;
  }

  #at(number: number): Entry {
    const entry = this.#entries.get(number);
    invariant(entry !== undefined, "a live job has options that are not there");
    return entry;
  }
}

/** Whether two jobs' options say the same. */
export function isEqual(a: JobOptions, b: JobOptions): boolean {
  return (
    a === b ||
    (a.retryLimit === b.retryLimit &&
      a.backoff?.exponent === b.backoff?.exponent &&
      a.backoff?.baseMs === b.backoff?.baseMs &&
      a.backoff?.jitterMs === b.backoff?.jitterMs &&
      a.completedRetentionMs === b.completedRetentionMs &&
      a.deadRetentionMs === b.deadRetentionMs)
  );
}

function isEmpty(options: JobOptions): boolean {
  return isEqual(options, noOptions);
}

function keyOf({ retryLimit, backoff, completedRetentionMs, deadRetentionMs }: JobOptions): string {
  const delays = backoff === undefined ? "" : `${backoff.exponent}:${backoff.baseMs}:${backoff.jitterMs}`;
  return `${retryLimit ?? ""}/${delays}/${completedRetentionMs ?? ""}/${deadRetentionMs ?? ""}`;
}
