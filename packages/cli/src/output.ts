/**
 * Where a command writes. People on a terminal get tables; everything else gets JSON, one object a line, named as the HTTP API
 * names it, so that a script reads the same from the command as from the wire.
 */
import { stringifyJson } from "@millrace/protocol/json";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What a command has of the world around it. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All of standard input. */
  readStdin(): Promise<Buffer>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  return { stdout: process.stdout, stderr: process.stderr, env: process.env, readStdin };
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Whether people read this, and nobody asked for JSON. */
export function isForPeople(terminal: Terminal, options: { readonly json?: boolean }): boolean {
  return options.json !== true && terminal.stdout.isTTY === true;
}

/** One JSON value on one line; integers of 64 bits are exact. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.stdout.write(`${stringifyJson(value)}\n`);
}

/** Something said about the work rather than its result. */
export function say(terminal: Terminal, text: string): void {
  terminal.stderr.write(`millrace: ${text}\n`);
}

/** Rows under a heading, each column as wide as its widest cell. */
export function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [heading, ...rows.map((row) => row.map(printable))];
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  return cells.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - widthOf(cell)))
      .join("  ")
      .trimEnd(),
  );
}

/** The text without what a terminal would obey: names and messages come from strangers. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Bold on a terminal that may show it (https://no-color.org). */
export function bold(terminal: Terminal, text: string): string {
  const isPlain =
    terminal.stdout.isTTY !== true || Boolean(terminal.env["NO_COLOR"]) || terminal.env["TERM"] === "dumb";
  return isPlain ? text : `\u001b[1m${text}\u001b[0m`;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
