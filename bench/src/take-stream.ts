/** A take stream for load: NDJSON, counts jobs and picks out id and delivery without parsing the whole. */
import { type ClientRequest, get } from "node:http";

export interface TakenJob {
  readonly id: string;
  readonly delivery: string;
}

/** Opens a stream; `onJobs` gets what one chunk of bytes completed. Resolves when the headers are there. */
export function openTakeStream(options: {
  port: number;
  queue: string;
  prefetch: number;
  onJobs: (jobs: readonly TakenJob[]) => void;
}): Promise<{ close(): void }> {
  const { port, queue, prefetch, onJobs } = options;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      { host: "127.0.0.1", port, path: `/jobs/take?prefetch=${prefetch}&queue=${queue}`, agent: false },
      (reply) => {
        if (reply.statusCode !== 200) {
          reject(new Error(`take was answered with ${reply.statusCode}`));
          return;
        }
        let rest = "";
        reply.setEncoding("latin1");
        reply.on("data", (text: string) => {
          const lines = (rest + text).split("\n");
          rest = lines.pop() ?? "";
          const jobs: TakenJob[] = [];
          for (const line of lines) if (line.length > 0) jobs.push(readJob(line));
          if (jobs.length > 0) onJobs(jobs);
        });
        reply.on("error", () => undefined);
        resolve({ close: () => request.destroy() });
      },
    );
    request.on("error", reject);
  });
}

/** `id` comes first in a message; `delivery` stands behind the payload, so it is searched from the end. */
function readJob(line: string): TakenJob {
  const id = line.slice(7, 32);
  const at = line.lastIndexOf('"delivery":"') + 12;
  return { id, delivery: line.slice(at, line.indexOf('"', at)) };
}
