/**
 * A quiet moment, in which everything that was ever said is compared with what the server says now: all jobs by pages, the
 * numbers, the names of the queues, and memory against the store (S8). While it goes on nobody else may ask for anything.
 */
import { statuses } from "@millrace/protocol/job-view";
import type { JobSnapshot, ListQuery, Verbs } from "../../src/engine/verbs.ts";
import type { Dice } from "./dice.ts";
import type { Life } from "./life.ts";
import type { Oracle } from "./oracle.ts";
import { queueNames } from "./producer.ts";
import type { SimEngine } from "./sim-engine.ts";

/** Answers all jobs that are there. Rejects when the server does not answer. */
export async function audit(
  life: Life,
  engine: SimEngine,
  oracle: Oracle,
  dice: Dice,
): Promise<readonly JobSnapshot[]> {
  const heard = oracle.looks.auditBegins();
  const rows = await everything(engine, oracle, dice);
  heard(rows);
  for (const complaint of await life.verify(engine)) oracle.chronicle.complain("S8", complaint);
  await compareNumbers(engine, oracle, rows);
  return rows;
}

async function everything(verbs: Verbs, oracle: Oracle, dice: Dice): Promise<JobSnapshot[]> {
  const rows: JobSnapshot[] = [];
  const order = dice.pick<ListQuery["order"]>(["asc", "desc"]);
  const limit = dice.pick([3, 50, 2000]);
  let from: string | undefined;
  for (;;) {
    const query: ListQuery = { filter: {}, from, order, limit };
    const heard = oracle.looks.pageBegins(query);
    const page = await verbs.list(query);
    heard(page);
    rows.push(...page.jobs);
    from = page.jobs.at(-1)?.job.id;
    if (page.more && page.jobs.length < limit)
      oracle.chronicle.complain("E", "a page that is not full says that there is more");
    if (!page.more || from === undefined) return rows;
  }
}

/** Jobs whose retention ends meanwhile may be counted or not. */
async function compareNumbers(verbs: Verbs, oracle: Oracle, rows: readonly JobSnapshot[]): Promise<void> {
  const { chronicle } = oracle;
  for (const queue of [undefined, ...queueNames]) {
    const matching = rows.filter(({ job }) => queue === undefined || job.queue === queue);
    const filter = queue === undefined ? {} : { queues: new Set([queue]) };
    const counted = await verbs.count(filter);
    const expired = matching.filter(({ job }) => hasExpired(job, chronicle.clock.now())).length;
    if (counted > matching.length || counted < matching.length - expired) {
      chronicle.complain(
        "S8",
        `${counted} jobs are counted in ${queue ?? "all queues"}, ${matching.length} are listed`,
      );
      for (const status of statuses) {
        const listed = matching.filter(({ job }) => job.status === status).length;
        const number = await verbs.count({ ...filter, statuses: new Set([status]) });
        if (number !== listed) chronicle.complain("S8", `of these ${number} are ${status}, ${listed} are listed so`);
      }
    }
  }
  const names = await verbs.queues();
  const kept = rows.filter(({ job }) => !hasExpired(job, chronicle.clock.now()));
  for (const name of new Set(kept.map(({ job }) => job.queue as string))) {
    if (!names.includes(name)) chronicle.complain("S8", `queue ${name} holds jobs and is not named`);
  }
  const all = new Set(rows.map(({ job }) => job.queue as string));
  for (const name of names) if (!all.has(name)) chronicle.complain("S8", `queue ${name} is named and holds no job`);
}

function hasExpired(job: JobSnapshot["job"], now: number): boolean {
  const isOver = job.status === "completed" || job.status === "dead";
  return isOver && job.purgeAt !== undefined && job.purgeAt <= now;
}
