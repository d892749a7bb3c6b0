import type { ServerProcess } from "./server-process.ts";

/** One measured stretch of work. */
export interface Sample {
  readonly jobs: number;
  readonly seconds: number;
  /** CPU microseconds of the server a job. */
  readonly serverMicros: number;
}

export interface Row {
  readonly workload: string;
  readonly mode: string;
  readonly client: string;
  readonly samples: readonly Sample[];
}

export async function measure(server: ServerProcess, work: () => Promise<number>): Promise<Sample> {
  const cpu = server.cpuSeconds();
  const began = performance.now();
  const jobs = await work();
  const seconds = (performance.now() - began) / 1000;
  return { jobs, seconds, serverMicros: ((server.cpuSeconds() - cpu) / jobs) * 1e6 };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const rateOf = (sample: Sample): number => sample.jobs / sample.seconds;
