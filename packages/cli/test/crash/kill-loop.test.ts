import { Agent } from "node:http";
import { afterEach, expect, it } from "vitest";
import { call, take } from "./plain-http.ts";
import { ServerUnderTest } from "./server-under-test.ts";

const rounds = 20;

/** What was said aloud over all lives of the server. */
class Ledger {
  readonly enqueued = new Set<string>();
  /** Acks that were sent; the answer may have been lost in the kill. */
  readonly ackSent = new Set<string>();
  readonly ackConfirmed = new Set<string>();
  readonly deliveredAfterConfirmed: string[] = [];

  delivered(id: string): void {
    if (this.ackConfirmed.has(id)) this.deliveredAfterConfirmed.push(id);
  }
}

let server: ServerUnderTest | undefined;
afterEach(async () => {
  await server?.end("SIGKILL");
  server?.remove();
});

/** One life: producers and a worker at full speed until `answers` answers were heard, then SIGKILL in the middle of it all. */
async function live(target: ServerUnderTest, ledger: Ledger, answers: number): Promise<void> {
  await target.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let heard = 0;
  let isDead = false;
  let killed: () => void = () => undefined;
  const untilKilled = new Promise<void>((resolve) => {
    killed = resolve;
  });
  const count = () => {
    heard += 1;
    if (heard === answers) {
      isDead = true;
      void target.end("SIGKILL").then(() => killed());
    }
  };
  const job = (n: number) => ({ queue: `q${n % 3}`, type: "t", payload: { n }, priority: n % 5 });
  const produce = async (lane: number) => {
    for (let n = lane; !isDead; n += 10) {
      const isBulk = lane === 0;
      const body = isBulk ? { jobs: [job(n), job(n + 1), job(n + 2)] } : job(n);
      const answer = await call(agent, target.port, "POST", isBulk ? "/jobs/bulk" : "/jobs", body).catch(
        () => undefined,
      );
      if (answer === undefined) return;
      expect(answer.status).toBe(201);
      const jobs = isBulk ? (answer.body as { jobs: { id: string }[] }).jobs : [answer.body as { id: string }];
      for (const { id } of jobs) ledger.enqueued.add(id);
      count();
    }
  };
  const ack = async (id: string, delivery: string) => {
    ledger.ackSent.add(id);
    const answer = await call(agent, target.port, "POST", `/jobs/${id}/success`, { delivery }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(204);
    ledger.ackConfirmed.add(id);
    count();
  };
  const acks: Promise<void>[] = [];
  const stream = take({
    port: target.port,
    query: "?prefetch=200",
    onJob: (taken) => {
      ledger.delivered(taken.id);
      // Every fifth is held until the end, so that a kill finds jobs in flight.
      if (taken.payload.n % 5 !== 0 || ledger.ackSent.has(taken.id)) acks.push(ack(taken.id, taken.delivery));
    },
  });
  await Promise.all([0, 1, 2, 3].map(produce));
  await untilKilled;
  await Promise.all(acks);
  stream.close();
  agent.destroy();
}

async function remainingIds(target: ServerUnderTest): Promise<Set<string>> {
  const agent = new Agent({ keepAlive: true });
  const ids = new Set<string>();
  let path: string | null = "/jobs?limit=2000";
  while (path !== null) {
    const page = (await call(agent, target.port, "GET", path)).body as {
      jobs: { id: string; status: string }[];
      pages: { next: string | null };
    };
    for (const { id, status } of page.jobs) {
      expect(status).toBe("ready");
      ids.add(id);
    }
    path = page.pages.next;
  }
  agent.destroy();
  return ids;
}

it.each(["fsync", "buffered"])(
  `loses nothing and repeats no acked job over ${rounds} kills of the server (%s)`,
  { timeout: 120_000 },
  async (mode) => {
    server = new ServerUnderTest(["--default-commit-mode", mode]);
    const ledger = new Ledger();
    for (let round = 0; round < rounds; round += 1) await live(server, ledger, 60 + round * 25);
    await server.start();
    const remaining = await remainingIds(server);

    const lost = [...ledger.enqueued].filter((id) => !remaining.has(id) && !ledger.ackSent.has(id));
    const risen = [...ledger.ackConfirmed].filter((id) => remaining.has(id));
    expect({ lost, risen, repeated: ledger.deliveredAfterConfirmed }).toEqual({ lost: [], risen: [], repeated: [] });
    expect(ledger.enqueued.size).toBeGreaterThan(rounds * 20);
    expect(ledger.ackConfirmed.size).toBeGreaterThan(rounds * 5);
    expect(await server.end("SIGTERM")).toBe(0);
  },
);
