/** A worker process of the demo: `node worker.js URL RESULTS_DIRECTORY NAME`. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "@millrace/client/worker";
import { inspectFile } from "./inspect-file.ts";
import { type InspectFile, queue } from "./payload.ts";
import { appendResult } from "./results.ts";

const [url = "", directory = "", name = ""] = process.argv.slice(2);

const worker = new Worker<InspectFile>({
  url,
  queues: [queue],
  concurrency: 4,
  workerId: name,
  handler: async (job) => {
    const { root, path, failures, workMs } = job.payload;
    if (job.attempts < failures) throw new Error(`attempt ${job.attempts + 1} fails on purpose`);
    await pause(workMs);
    const found = await inspectFile(join(root, path));
    appendResult(directory, name, { job: job.id, path, attempt: job.attempts, ...found });
  },
});

process.once("SIGTERM", () => void worker.stop());
await worker.run();
