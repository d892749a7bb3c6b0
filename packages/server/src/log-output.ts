/** Log lines on stdout, over pino: JSON for machines, one line a message for people. */
import { type LevelWithSilent, type Logger as Pino, pino } from "pino";
import type { LogFields, Logger } from "./base/logger.ts";

export type LogFormat = "pretty" | "compact" | "json";
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where lines go; `process.stdout` in a server. */
export interface LogStream {
  write(text: string): void;
}

const colours: Readonly<Record<string, number>> = { DEBUG: 90, INFO: 32, WARN: 33, ERROR: 31 };

/** A logger under the target `millrace`; `for()` gives the parts their own. */
export function openLogger(options: { format: LogFormat; level: LogLevel; stream: LogStream }): Logger {
  const { format, level, stream } = options;
  const output = format === "json" ? stream : { write: (line: string) => stream.write(forPeople(line, format)) };
  const root = pino(
    {
      level: level satisfies LevelWithSilent,
      base: null,
      timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    output,
  );
  return new PinoLogger(root, "millrace");
}

class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #target: string;

  constructor(root: Pino, target: string) {
    this.#pino = root;
    this.#target = target;
  }

  for(target: string): Logger {
    return new PinoLogger(this.#pino, target);
  }

  debug(message: string, fields?: LogFields): void {
    this.#pino.debug(this.#line(message, fields));
  }

  info(message: string, fields?: LogFields): void {
    this.#pino.info(this.#line(message, fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.#pino.warn(this.#line(message, fields));
  }

  error(message: string, fields?: LogFields): void {
    this.#pino.error(this.#line(message, fields));
  }

  #line(message: string, fields: LogFields | undefined): object {
    return { target: this.#target, fields: { message, ...fields } };
  }
}

interface Line {
  readonly timestamp: string;
  readonly level: string;
  readonly target: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly message: string };
}

function forPeople(text: string, format: "pretty" | "compact"): string {
  const { timestamp, level, target, fields } = JSON.parse(text) as Line;
  const { message, ...rest } = fields;
  const details = Object.entries(rest).map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  if (format === "compact") return `${timestamp} ${level.padEnd(5)} ${target}: ${message}${details.join("")}\n`;
  const colour = colours[level] ?? 0;
  return `\u001b[90m${timestamp.slice(11, 23)}\u001b[0m \u001b[${colour}m${level.padEnd(5)}\u001b[0m ${message}\u001b[90m${details.join("")}  ${target}\u001b[0m\n`;
}
