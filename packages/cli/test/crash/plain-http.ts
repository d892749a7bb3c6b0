/** HTTP without a library, so that a test knows exactly what was sent and what was answered. */
import { type Agent, get, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request; rejects when it was not answered. */
export function call(agent: Agent, port: number, method: string, path: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (reply) => {
      let received = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => {
        received += chunk;
      });
      reply.on("error", reject);
      reply.on("end", () => {
        resolve({ status: reply.statusCode ?? 0, body: received === "" ? undefined : JSON.parse(received) });
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

export interface TakenJob {
  readonly id: string;
  readonly delivery: string;
  readonly payload: { readonly n: number };
  readonly attempts: number;
}

/** A take stream; `onJob` gets each job, `onEnd` is called once when the stream is over, however. */
export function take(options: { port: number; query: string; onJob(job: TakenJob): void; onEnd?(): void }): {
  close(): void;
  opened: Promise<void>;
} {
  let open: () => void;
  let fail: (error: Error) => void;
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  opened.catch(() => undefined);
  const sent = get(
    { host: "127.0.0.1", port: options.port, path: `/jobs/take${options.query}`, agent: false },
    (reply) => {
      open();
      let rest = "";
      reply.setEncoding("utf8");
      reply.on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") options.onJob(JSON.parse(line) as TakenJob);
      });
      reply.on("error", () => undefined);
    },
  );
  sent.on("error", (error) => fail(error));
  sent.on("close", () => options.onEnd?.());
  return { close: () => sent.destroy(), opened };
}
