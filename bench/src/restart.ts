/** How long a server with a deep backlog takes to come back: until it accepts an enqueue, and until the first job is handed out. */
import { RawConnection } from "./raw-http.ts";
import { type CommitMode, ServerProcess } from "./server-process.ts";
import { openTakeStream } from "./take-stream.ts";
import { bulkEnqueues } from "./workloads.ts";

export interface Restart {
  readonly jobs: number;
  /** Seconds from the start of the process. */
  readonly listening: number;
  readonly firstEnqueue: number;
  readonly firstJob: number;
  /** Resident memory of the server when everything is rebuilt, MB. */
  readonly residentMb: number;
}

export async function restart(commitMode: CommitMode, jobs: number): Promise<Restart> {
  const first = await ServerProcess.start({ commitMode });
  await bulkEnqueues(first, jobs);
  await first.stop({ keep: true });
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const server = await ServerProcess.start({ commitMode, directory: first.directory });
  const listening = seconds();
  const connection = await RawConnection.open(server.port);
  const enqueued = connection.request("POST", "/jobs", '{"queue":"late","type":"t","payload":1}').then(seconds);
  const firstJob = await new Promise<number>((resolve, reject) => {
    const onJobs = () => resolve(seconds());
    openTakeStream({ port: server.port, queue: "bench", prefetch: 1, onJobs }).catch(reject);
  });
  const firstEnqueue = await enqueued;
  const residentMb = server.residentMb();
  connection.close();
  await server.stop();
  return { jobs, listening, firstEnqueue, firstJob, residentMb };
}
