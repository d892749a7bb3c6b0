import { readFile } from "node:fs/promises";
import type { NewJob } from "@millrace/client/job";
import { QueueError } from "@millrace/protocol/errors";
import { parseJson } from "@millrace/protocol/json";
import { UsageError } from "./arguments.ts";
import { printJson, type Terminal } from "./output.ts";
import { wireJob } from "./wire-job.ts";
import { type ServerOptions, withClient } from "./with-client.ts";

export interface EnqueueOptions extends ServerOptions {
  readonly queue: string;
  readonly type: string;
  readonly payload?: string;
  readonly payloadFile?: string;
  readonly priority?: number;
  readonly readyAt?: number;
  /** Milliseconds. */
  readonly delay?: number;
  readonly retryLimit?: number;
}

/** Enqueues one job and prints its id, or the job as JSON. `operand` is `-` for a payload on standard input. */
export async function enqueue(
  operand: string | undefined,
  options: EnqueueOptions,
  terminal: Terminal,
): Promise<number> {
  const payload = await payloadOf(operand, options, terminal);
  const readyAt = readyAtOf(options);
  const job: NewJob = {
    queue: options.queue,
    type: options.type,
    payload,
    ...(options.priority === undefined ? undefined : { priority: options.priority }),
    ...(readyAt === undefined ? undefined : { readyAt }),
    ...(options.retryLimit === undefined ? undefined : { retryLimit: options.retryLimit }),
  };
  return await withClient(options, terminal, async (client) => {
    const enqueued = await client.enqueue(job);
    if (options.json === true) printJson(terminal, wireJob(enqueued));
    else terminal.stdout.write(`${enqueued.id}\n`);
  });
}

function readyAtOf({ readyAt, delay }: EnqueueOptions): number | undefined {
  if (readyAt !== undefined && delay !== undefined) throw new UsageError("give --ready-at or --delay, not both");
  return delay === undefined ? readyAt : Date.now() + delay;
}

async function payloadOf(operand: string | undefined, options: EnqueueOptions, terminal: Terminal): Promise<unknown> {
  if (operand !== undefined && operand !== "-") {
    throw new UsageError(
      `"${operand}" is not expected here: a payload comes by --payload, by --payload-file, or by - from stdin`,
    );
  }
  const sources = [options.payload, options.payloadFile, operand].filter((source) => source !== undefined);
  if (sources.length > 1) throw new UsageError("give one payload: --payload, --payload-file, or - for stdin");
  if (options.payload !== undefined) {
    return parsed(options.payload, "--payload", `\nA text needs its quotes: --payload '"hello"'`);
  }
  if (operand === "-" || options.payloadFile === "-") return parsed(await terminal.readStdin(), "standard input");
  if (options.payloadFile !== undefined) return parsed(await fileOf(options.payloadFile), options.payloadFile);
  return null;
}

async function fileOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new UsageError(`cannot read the payload: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

function parsed(text: string | Uint8Array, source: string, hint = ""): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    if (cause instanceof QueueError) {
      throw new UsageError(`the payload from ${source} is ${cause.message}${hint}`, { cause });
    }
    throw cause;
  }
}
