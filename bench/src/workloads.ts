/**
 * The workloads of docs/performance.md, each against a running server. Payload: about 150 bytes of JSON. Clients are lean
 * (`raw-http.ts`) and share this process; "coalesced" means what our client does: jobs that wait go as one bulk request.
 */
import { measure, type Sample } from "./measure.ts";
import { RawConnection, type Reply } from "./raw-http.ts";
import type { ServerProcess } from "./server-process.ts";
import { openTakeStream, type TakenJob } from "./take-stream.ts";

const queue = "bench";
const filler = "x".repeat(110);

function job(i: number): string {
  return `{"queue":"${queue}","type":"bench","payload":{"i":${i},"at":${Math.trunc(performance.now())},"filler":"${filler}"}}`;
}

function bulk(first: number, count: number): string {
  const jobs: string[] = [];
  for (let i = 0; i < count; i += 1) jobs.push(job(first + i));
  return `{"jobs":[${jobs.join(",")}]}`;
}

function expect(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  throw new Error(`expected ${status}, got ${reply.status}: ${reply.body.toString()}`);
}

/** W2 raw: `connections` keep-alive connections, one request for one job at a time on each. */
export async function singleEnqueues(server: ServerProcess, jobs: number, connections = 64): Promise<Sample> {
  const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(server.port)));
  let next = 0;
  const produce = async (connection: RawConnection) => {
    while (next < jobs) {
      next += 1;
      expect(await connection.request("POST", "/jobs", job(next)), 201);
    }
  };
  const sample = await measure(server, async () => {
    await Promise.all(open.map(produce));
    return jobs;
  });
  for (const connection of open) connection.close();
  return sample;
}

/** W3: one producer, bulk requests of `size` jobs, `inFlight` of them at a time. */
export async function bulkEnqueues(server: ServerProcess, jobs: number, size = 1000, inFlight = 2): Promise<Sample> {
  const open = await Promise.all(Array.from({ length: inFlight }, () => RawConnection.open(server.port)));
  let next = 0;
  const produce = async (connection: RawConnection) => {
    while (next < jobs) {
      const first = next;
      next += size;
      expect(await connection.request("POST", "/jobs/bulk", bulk(first, size)), 201);
    }
  };
  const sample = await measure(server, async () => {
    await Promise.all(open.map(produce));
    return jobs;
  });
  for (const connection of open) connection.close();
  return sample;
}

/** A worker with a no-op handler: acks what came while one ack request is under way goes into the next. */
class LeanWorker {
  readonly #acks: RawConnection;
  #waiting: TakenJob[] = [];
  #isSending = false;
  #stream: { close(): void } | undefined;
  done = 0;
  onProgress: () => void = () => undefined;

  private constructor(acks: RawConnection) {
    this.#acks = acks;
  }

  static async start(server: ServerProcess, prefetch: number): Promise<LeanWorker> {
    const worker = new LeanWorker(await RawConnection.open(server.port));
    const onJobs = (jobs: readonly TakenJob[]) => worker.#take(jobs);
    worker.#stream = await openTakeStream({ port: server.port, queue, prefetch, onJobs });
    return worker;
  }

  /** Resolves when `total` jobs are acked. */
  until(total: number): Promise<void> {
    return new Promise((resolve) => {
      this.onProgress = () => {
        if (this.done >= total) resolve();
      };
      this.onProgress();
    });
  }

  stop(): void {
    this.#stream?.close();
    this.#acks.close();
  }

  #take(jobs: readonly TakenJob[]): void {
    for (const taken of jobs) this.#waiting.push(taken);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting;
      this.#waiting = [];
      const acks = jobs.map(({ id, delivery }) => `{"id":"${id}","delivery":"${delivery}"}`);
      expect(await this.#acks.request("POST", "/jobs/success", `{"acks":[${acks.join(",")}]}`), 204);
      this.done += jobs.length;
      this.onProgress();
    }
    this.#isSending = false;
  }
}

/** W4: a backlog of `jobs`, one worker, `prefetch` 100 as workers of concurrency 50 ask for. */
export async function drain(server: ServerProcess, jobs: number, prefetch = 100): Promise<Sample> {
  await bulkEnqueues(server, jobs);
  return await measure(server, async () => {
    const worker = await LeanWorker.start(server, prefetch);
    await worker.until(jobs);
    worker.stop();
    return jobs;
  });
}

/** W5: one producer with `inFlight` jobs under way, coalesced, and one worker, at once. */
export async function flow(server: ServerProcess, jobs: number, inFlight = 64, prefetch = 100): Promise<Sample> {
  const worker = await LeanWorker.start(server, prefetch);
  const lanes = 2;
  const open = await Promise.all(Array.from({ length: lanes }, () => RawConnection.open(server.port)));
  let next = 0;
  const produce = async (connection: RawConnection) => {
    while (next < jobs) {
      const count = Math.min(inFlight / lanes, jobs - next);
      const first = next;
      next += count;
      expect(await connection.request("POST", "/jobs/bulk", bulk(first, count)), 201);
    }
  };
  const sample = await measure(server, async () => {
    await Promise.all([...open.map(produce), worker.until(jobs)]);
    return jobs;
  });
  worker.stop();
  for (const connection of open) connection.close();
  return sample;
}
