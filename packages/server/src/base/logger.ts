/** Values of a log line's fields. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Structured log lines; the sink is chosen in `serve.ts`. `target` names the part that speaks (`millrace.serve`,
 * `millrace.api.primary`, …). Never one line per job on the hot path, never a payload.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same sink under another target. */
  for(target: string): Logger;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  for() {
    return silentLogger;
  },
};
