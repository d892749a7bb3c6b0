import type { Clock } from "../../src/base/clock.ts";

/** The history of one world in plain words, one line an event; two runs of one seed write the same bytes. */
export class Journal {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #lines: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** A line between two parts of the history. */
  heading(text: string): void {
    this.#lines.push("", `-- ${text}`);
  }

  /** @param who the one who acts, or of whom something is true */
  note(who: string, what: string): void {
    const seconds = ((this.#clock.now() - this.#start) / 1000).toFixed(3);
    this.#lines.push(`${seconds.padStart(10)} s  ${who.padEnd(11)} ${what}`);
  }
}

/** "1 job", "3 jobs". */
export function counted(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

/** An error in one line. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
