/**
 * The last life asks for liveness: a server that never answers is perfectly safe. Nothing stands in the server's way any more,
 * so what it does not do now it would never do.
 *
 *   L1 every request gets an answer · L2 every accepted job ends · L3 credit comes back to full
 */
import { audit } from "./audit.ts";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import type { Oracle } from "./oracle.ts";
import { plainRequest } from "./producer.ts";
import type { People } from "./scenery.ts";
import type { SimClock } from "./sim-clock.ts";
import type { SimEngine } from "./sim-engine.ts";

/** How long everything may take that has to end. Simulated time costs nothing. */
const PATIENCE_MS = 20 * 60_000;
const QUIET_MS = 60_000;

interface CalmOptions {
  readonly life: Life;
  readonly clock: SimClock;
  readonly oracle: Oracle;
  readonly people: People;
  readonly dice: Dice;
  /** From now on workers only ack. */
  becomeGentle(): void;
}

/** Runs while the world's clock is driven elsewhere; complains to the oracle. */
export async function judgeLiveness(engine: SimEngine, options: CalmOptions): Promise<void> {
  const { life, clock, oracle, people, dice, becomeGentle } = options;
  people.stopAsking();
  becomeGentle();
  await untilAllEnded(engine, options);
  if (oracle.chronicle.complaints.length > 0) return;
  await creditMustBeFull(engine, options);
  if (oracle.chronicle.complaints.length > 0) return;
  people.stopAll();
  await clock.sleep(QUIET_MS);
  allMustBeAnswered(options);
  if (oracle.chronicle.complaints.length > 0) return;
  await audit(life, engine, oracle, dice);
}

const unended = new Set(["scheduled", "ready", "in_flight"] as const);

async function untilAllEnded(engine: SimEngine, options: CalmOptions): Promise<void> {
  const { clock, oracle } = options;
  const deadline = clock.now() + PATIENCE_MS;
  for (;;) {
    await clock.sleep(2000);
    if ((await engine.count({ statuses: unended })) === 0) return;
    if (clock.now() < deadline) continue;
    const { jobs } = await engine.list({ filter: { statuses: unended }, order: "asc", limit: 5 });
    const names = jobs.map(({ job }) => `${oracle.chronicle.jobs.get(job.id)?.name ?? job.id} (${job.status})`);
    oracle.chronicle.complain("L2", `nothing stands in their way, and these never end: ${names.join(", ")}`);
    return;
  }
}

/** Fills every stream: each must get as many jobs as it asked for, as far as the global limit allows. */
async function creditMustBeFull(engine: SimEngine, options: CalmOptions): Promise<void> {
  const { clock, oracle, people } = options;
  const { chronicle } = oracle;
  const [producer] = people.producers;
  if (producer === undefined) return;
  await clock.sleep(QUIET_MS / 10);
  const limited = people.workers.filter(({ request }) => request.prefetch > 0);
  if (limited.length < people.workers.length) {
    // A stream without a limit of its own would take what the others wait for.
    for (const worker of people.workers) if (worker.request.prefetch === 0) worker.stop();
    await clock.sleep(QUIET_MS);
  }
  for (const worker of people.workers) worker.holdBack();
  const limit = chronicle.settings.globalInFlightMax;
  const wanted = limited.reduce((sum, { request }) => sum + request.prefetch, 0);
  // Of each queue so many that even the last stream finds enough, whoever takes first.
  for (const queue of new Set(limited.map(({ request }) => request.queues?.[0] ?? "mail"))) {
    await producer.order(Array.from({ length: wanted }, () => plainRequest(queue)));
  }
  await clock.sleep(QUIET_MS);
  const held = oracle.streams.heldNow();
  const total = [...held.values()].reduce((sum, count) => sum + count, 0);
  const expected = limit === 0 ? wanted : Math.min(limit, wanted);
  if (total !== expected) {
    const each = [...held].map(([session, count]) => `${session.name} ${count} of ${session.prefetch}`).join(", ");
    chronicle.complain("L3", `${total} jobs are handed out where there is credit for ${expected}: ${each}`);
  }
  for (const worker of people.workers) worker.goOn();
  await untilAllEnded(engine, options);
}

function allMustBeAnswered({ life, oracle }: CalmOptions): void {
  for (const what of life.door?.unanswered ?? [])
    oracle.chronicle.complain("L1", `no answer was ever given to: ${what}`);
}
