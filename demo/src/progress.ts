/** One line that fills up on a terminal; a plain line now and then elsewhere. */
export class Progress {
  readonly #total: number;
  readonly #isTerminal = process.stdout.isTTY === true;
  #printedTenth = -1;

  constructor(total: number) {
    this.#total = total;
  }

  show(done: number, remark: string): void {
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    if (this.#isTerminal) {
      const width = 40;
      const bar = "█".repeat(Math.round(share * width)).padEnd(width, "·");
      process.stdout.write(`\r  ${bar} ${String(done).padStart(6)} / ${this.#total}  ${remark.padEnd(24)}`);
      return;
    }
    const tenth = Math.floor(share * 10);
    if (tenth <= this.#printedTenth) return;
    this.#printedTenth = tenth;
    process.stdout.write(`  ${done} / ${this.#total}  ${remark}\n`);
  }

  /** Something to say in between. */
  say(text: string): void {
    process.stdout.write(this.#isTerminal ? `\r${" ".repeat(90)}\r  ${text}\n` : `  ${text}\n`);
  }
}
