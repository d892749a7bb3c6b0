import type { LogFields, Logger } from "../../src/base/logger.ts";
import type { Chronicle } from "./chronicle.ts";

/**
 * What a server says of itself: warnings and errors stand in the journal. One of them is a complaint of the server's own: the
 * dispatcher looks now and then for streams that have credit and work and were not told (engine/dispatcher.ts), a net that
 * must never catch anything. Nobody outside can tell a job that was late from one that came in time, so this is heard here.
 */
export class SimLogger implements Logger {
  readonly #chronicle: Chronicle;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  debug(): void {}

  info(): void {}

  warn(message: string, fields?: LogFields): void {
    if (message.includes("were not told")) this.#chronicle.complain("L2", `${message}: ${wordsOf(fields)}`);
    else this.#note(message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#note(message, fields);
  }

  for(): Logger {
    return this;
  }

  #note(message: string, fields: LogFields | undefined): void {
    this.#chronicle.journal.note("server", `says: ${message} ${wordsOf(fields)}`.trimEnd());
  }
}

function wordsOf(fields: LogFields | undefined): string {
  return fields === undefined ? "" : `(${JSON.stringify(fields)})`;
}
