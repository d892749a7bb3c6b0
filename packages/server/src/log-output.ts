/**
 * The server's log over pino: one line an event, in one of three forms.
 *
 *   json      {"timestamp":"…","level":"INFO","target":"millrace.serve","fields":{"message":"listening",…}}
 *   compact   2026-01-05T10:00:00.123Z INFO  millrace.serve: listening addr=127.0.0.1:7890
 *   pretty    10:00:00.123 INFO  listening addr=127.0.0.1:7890  millrace.serve
 *
 * Scripts read the first, so its members keep their order. Whatever a value holds, it breaks no line and colours none.
 */
import { pino, type Logger as Sink } from "pino";
import type { LogFields, Logger } from "./base/logger.ts";

export type LogFormat = "pretty" | "compact" | "json";
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where lines go; `process.stdout` in a server. */
export interface LogStream {
  write(text: string): void;
}

export interface LogOptions {
  readonly format: LogFormat;
  readonly level: LogLevel;
  readonly stream: LogStream;
  /** Of the pretty form. Default: none. */
  readonly colours?: boolean;
}

/** A logger under the target `millrace`; `for()` gives the parts their own. */
export function openLogger(options: LogOptions): Logger {
  const { format, level, stream, colours = false } = options;
  const forPeople = (line: string) => stream.write(textOf(JSON.parse(line) as Line, format, colours));
  const sink = pino(
    {
      level,
      base: null,
      // pino puts the level first and takes the line apart by commas: here both stand where the contract has them.
      formatters: { level: () => ({}) },
      timestamp: () => `"timestamp":"${new Date().toISOString()}"`,
    },
    format === "json" ? stream : { write: forPeople },
  );
  return new PinoLogger(sink, "millrace");
}

interface Line {
  readonly timestamp: string;
  readonly level: Level;
  readonly target: string;
  readonly fields: Readonly<Record<string, string | number | boolean>> & { readonly message: string };
}

type Level = "DEBUG" | "INFO" | "WARN" | "ERROR";

class PinoLogger implements Logger {
  readonly #sink: Sink;
  readonly #target: string;

  constructor(sink: Sink, target: string) {
    this.#sink = sink;
    this.#target = target;
  }

  for(target: string): Logger {
    return new PinoLogger(this.#sink, target);
  }

  debug(message: string, fields?: LogFields): void {
    this.#sink.debug(this.#line("DEBUG", message, fields));
  }

  info(message: string, fields?: LogFields): void {
    this.#sink.info(this.#line("INFO", message, fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.#sink.warn(this.#line("WARN", message, fields));
  }

  error(message: string, fields?: LogFields): void {
    this.#sink.error(this.#line("ERROR", message, fields));
  }

  #line(level: Level, message: string, fields: LogFields | undefined): object {
    return { level, target: this.#target, fields: { message, ...fields } };
  }
}

const GREY = 90;
const colourOf: Readonly<Record<Level, number>> = { DEBUG: GREY, INFO: 32, WARN: 33, ERROR: 31 };

function textOf({ timestamp, level, target, fields }: Line, format: LogFormat, colours: boolean): string {
  const { message, ...rest } = fields;
  const said = escaped(message);
  const details = Object.entries(rest).map(([name, value]) => ` ${name}=${shown(value)}`);
  if (format === "compact") return `${timestamp} ${level.padEnd(5)} ${target}: ${said}${details.join("")}\n`;
  const paint = (colour: number, text: string) => (colours ? `\u001b[${colour}m${text}\u001b[0m` : text);
  const time = paint(GREY, timestamp.slice(11, 23));
  return `${time} ${paint(colourOf[level], level.padEnd(5))} ${said}${paint(GREY, `${details.join("")}  ${target}`)}\n`;
}

/** A value that is one plain word as it is, any other in quotes. */
function shown(value: string | number | boolean): string {
  const isWord = typeof value !== "string" || /^[^\s"=]+$/.test(value);
  return escaped(isWord ? String(value) : JSON.stringify(value));
}

/** Without what a terminal would obey, and without line breaks. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
