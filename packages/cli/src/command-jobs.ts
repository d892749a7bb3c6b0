import type { Client } from "@millrace/client";
import type { Job } from "@millrace/client/job";
import { QueueError } from "@millrace/protocol/errors";
import type { Status } from "@millrace/protocol/job-view";
import { stringifyJson } from "@millrace/protocol/json";
import { bold, isForPeople, printable, printJson, say, type Terminal, tableOf } from "./output.ts";
import { wireJob } from "./wire-job.ts";
import { type ServerOptions, withClient } from "./with-client.ts";

export interface ListOptions extends ServerOptions {
  readonly queue?: readonly string[];
  readonly type?: readonly string[];
  readonly status?: readonly Status[];
  /** 0 = all. */
  readonly limit: number;
}

/** The server's limit for a page. */
const pageMax = 2000;
/** Rows that are looked at before the widths of a table's columns are fixed. */
const tableRows = 500;

const heading = ["ID", "STATUS", "QUEUE", "TYPE", "PRIORITY", "ATTEMPTS", "READY AT"];

/** Lists jobs in the order they were enqueued: a table for people, else a JSON object a line. */
export async function listJobs(options: ListOptions, terminal: Terminal): Promise<number> {
  const { queue = [], type = [], status = [] } = options;
  const most = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
  const query = { queue, type, status, limit: Math.min(most, pageMax) };
  return await withClient(options, terminal, async (client) => {
    const table = isForPeople(terminal, options) ? new JobTable(terminal) : undefined;
    let rows = 0;
    // One page at a time, and none beyond the last row that is wanted.
    for (let page = await client.listPage(query); ; page = await client.listPage(page.next)) {
      for (const job of page.jobs.slice(0, most - rows)) {
        rows += 1;
        if (table === undefined) printJson(terminal, wireJob(job));
        else table.add(job);
      }
      if (page.next === undefined) break;
      if (rows >= most) {
        if (table !== undefined) table.note = `There are more than these ${rows}: --limit 0 shows all.`;
        break;
      }
    }
    table?.end();
  });
}

/** Shows one job with its payload: lines for people, else one JSON object. */
export async function getJob(id: string, options: ServerOptions, terminal: Terminal): Promise<number> {
  return await withClient(options, terminal, async (client) => {
    const job = await client.get(id);
    if (isForPeople(terminal, options)) await printJob(client, job, terminal);
    else printJson(terminal, wireJob(job));
  });
}

class JobTable {
  readonly #terminal: Terminal;
  #rows: string[][] = [];
  #printed = 0;
  note: string | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  add(job: Job): void {
    const { id, status, queue, type, priority, attempts, readyAt } = job;
    this.#rows.push([id, status, queue, type, String(priority), String(attempts), timeOf(readyAt)]);
    if (this.#rows.length === tableRows) this.#print();
  }

  end(): void {
    if (this.#printed === 0 && this.#rows.length === 0) say(this.#terminal, "no job matches");
    else if (this.#rows.length > 0) this.#print();
    if (this.note !== undefined) say(this.#terminal, this.note);
  }

  #print(): void {
    const [first = "", ...lines] = tableOf(heading, this.#rows);
    const shown = this.#printed === 0 ? [bold(this.#terminal, first), ...lines] : lines;
    this.#terminal.stdout.write(`${shown.join("\n")}\n`);
    this.#printed += this.#rows.length;
    this.#rows = [];
  }
}

async function printJob(client: Client, job: Job, terminal: Terminal): Promise<void> {
  const { payload, ...rest } = wireJob(job);
  const lines = Object.entries(rest).map(([name, value]): [string, string] => {
    if (name.endsWith("_at") && typeof value === "number") return [name, timeOf(value)];
    return [name, typeof value === "string" ? value : stringifyJson(value)];
  });
  lines.push(["payload", stringifyJson(payload)]);
  if (job.attempts > 0) lines.push(["last error", await lastError(client, job)]);
  const width = Math.max(...lines.map(([name]) => name.length)) + 2;
  const text = lines.map(([name, value]) => `${bold(terminal, name.padEnd(width))}${printable(value)}\n`).join("");
  terminal.stdout.write(text);
}

async function lastError(client: Client, job: Job): Promise<string> {
  try {
    return (await client.error(job.id, job.attempts)).message;
  } catch (error) {
    // The job may have gone on since.
    if (error instanceof QueueError && error.status === 404) return "(gone)";
    throw error;
  }
}

/** A time far beyond the calendar stays a number. */
function timeOf(ms: number): string {
  return ms <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
