/** Compares what the server shows of jobs with what was said of them before, and learns from it. */
import { clampU64 } from "@millrace/protocol/ids";
import type { ErrorPage, JobSnapshot, ListPage, ListQuery } from "../../src/engine/verbs.ts";
import type { Job } from "../../src/job/job.ts";
import type { Chronicle } from "./chronicle.ts";
import { differenceFrom, type JobFacts, type Moment, mayHaveEnded } from "./job-facts.ts";
import type { Outcome } from "./outcome.ts";

/** What was certain of a job when somebody began to look. */
interface Look {
  readonly from: Moment;
  readonly attemptsMin: number;
  /** Nobody else does anything meanwhile. */
  readonly isQuiet: boolean;
}

export class LookWitness {
  readonly #chronicle: Chronicle;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  /** Somebody asks for one job. */
  begins(id: string): (outcome: Outcome<JobSnapshot>) => void {
    const facts = this.#chronicle.jobs.get(id);
    const look = this.#look(facts);
    return (outcome) => {
      if (outcome.kind === "answered") this.#shown(outcome.value, look);
      else if (outcome.kind === "refused" && outcome.code === "JOB_NOT_FOUND" && facts !== undefined)
        this.#absent(facts, look);
    };
  }

  /** Somebody reads a page of a list; of jobs it does not show nothing can be concluded. */
  pageBegins(query: ListQuery): (page: ListPage) => void {
    const looks = new Map([...this.#chronicle.jobs].map(([id, facts]) => [id, this.#look(facts)]));
    const unknown = this.#look(undefined);
    return ({ jobs }) => {
      for (const row of jobs) this.#shown(row, looks.get(row.job.id) ?? unknown);
      mustBeInOrder(this.#chronicle, query, jobs);
    };
  }

  /** Somebody asks for the failed attempts of a job: all that were confirmed, and none twice. */
  errorsBegin(id: string): (page: ErrorPage) => void {
    const facts = this.#chronicle.jobs.get(id);
    const confirmed = facts?.attemptsMin ?? 0;
    return ({ records }) => {
      if (facts === undefined || facts.wasInDoubt) return;
      const attempts = records.map(({ attempt }) => attempt);
      const isRow = attempts.every((attempt, index) => attempt === index + 1);
      const mayBeGone = facts.end !== undefined || facts.asks.size > 0;
      const isPossible = (attempts.length >= confirmed || mayBeGone) && attempts.length <= facts.attemptsMax;
      if (isRow && isPossible) return;
      const range = `1 to between ${confirmed} and ${facts.attemptsMax}`;
      this.#chronicle.complain(
        "S1",
        `${facts.name} shows the failed attempts ${attempts.join(", ")}, possible is ${range}`,
      );
    };
  }

  /** Everything is read while nobody else does anything. The result is to be called with all that is there. */
  auditBegins(): (rows: readonly JobSnapshot[]) => void {
    const looks = new Map([...this.#chronicle.jobs].map(([id, facts]) => [id, this.#look(facts, true)]));
    const unknown = this.#look(undefined, true);
    return (rows) => {
      const shown = new Set<string>();
      for (const row of rows) {
        shown.add(row.job.id);
        this.#shown(row, looks.get(row.job.id) ?? unknown);
        if (row.job.status === "in_flight")
          this.#chronicle.complain("S3", `${row.job.id} is in flight though no stream is open`);
      }
      for (const [id, facts] of this.#chronicle.jobs) if (!shown.has(id)) this.#absent(facts, looks.get(id) ?? unknown);
      for (const order of this.#chronicle.orders)
        this.#mustBeWhole(order.wishes.map((wish) => this.#chronicle.grantedFor(wish)));
    };
  }

  #look(facts: JobFacts | undefined, isQuiet = false): Look {
    return { from: this.#chronicle.moment(), attemptsMin: facts?.attemptsMin ?? 0, isQuiet };
  }

  #shown({ job, payload }: JobSnapshot, look: Look): void {
    const chronicle = this.#chronicle;
    const facts = chronicle.know(job.id, payload.bytes);
    if (facts === undefined) return;
    const difference = differenceFrom(facts.wish, job);
    if (difference !== undefined) chronicle.complain("S1", `${facts.name} is shown with ${difference}`);
    if (!payload.bytes.equals(facts.wish.request.payload.bytes)) {
      chronicle.complain("S1", `${facts.name} is shown with another payload`);
    }
    this.#mustAgreeWithItsEnd(facts, job, look);
    const isKnown = job.attempts >= look.attemptsMin && job.attempts <= facts.attemptsMax;
    if (!isKnown && !facts.inDoubt) {
      const range = `${look.attemptsMin} to ${facts.attemptsMax}`;
      chronicle.complain("S1", `${facts.name} is shown with ${job.attempts} failed attempts, possible is ${range}`);
    }
    this.#learn(facts, job, look);
  }

  #mustAgreeWithItsEnd(facts: JobFacts, job: Job, look: Look): void {
    const chronicle = this.#chronicle;
    const { end, name } = facts;
    const isOver = job.status === "completed" || job.status === "dead";
    if (end === undefined) {
      if (isOver && !mayHaveEnded(facts))
        chronicle.complain("S1", `${name} is shown as ${job.status}, though nobody ended it`);
      return;
    }
    if (end.since.turn > look.from.turn) return;
    if (end.kind !== job.status)
      chronicle.complain("S2", `${name} is over (${end.kind}) and is shown as ${job.status}`);
    else if (look.from.at >= end.shownUntilMax) chronicle.complain("S1", `${name} is shown past its retention`);
  }

  #learn(facts: JobFacts, job: Job, { isQuiet }: Look): void {
    const chronicle = this.#chronicle;
    const now = chronicle.moment();
    facts.accepted ??= now;
    facts.attemptsMin = Math.max(facts.attemptsMin, job.attempts);
    this.#dropAsksOfDeadLives(facts);
    if (isQuiet && facts.asks.size === 0) {
      facts.attemptsMin = job.attempts;
      facts.attemptsMax = job.attempts;
    }
    facts.inDoubt = false;
    if (facts.end !== undefined || (job.status !== "completed" && job.status !== "dead")) return;
    const until = job.purgeAt === undefined ? now.at : clampU64(job.purgeAt);
    facts.end = { kind: job.status, since: now, shownUntilMin: until, shownUntilMax: until };
  }

  #absent(facts: JobFacts, look: Look): void {
    const chronicle = this.#chronicle;
    const { accepted, end, name } = facts;
    const now = chronicle.moment();
    if (end !== undefined) {
      const isKept = end.kind !== "gone" && now.at < end.shownUntilMin;
      if (isKept && !mayHaveEnded(facts)) chronicle.complain("S1", `${name} is ${end.kind} and kept, and is not shown`);
      return;
    }
    const wasAccepted = accepted !== undefined && accepted.turn < look.from.turn;
    if (wasAccepted && !mayHaveEnded(facts)) {
      chronicle.complain("S1", `${name} was accepted and is lost`);
      return;
    }
    if (accepted === undefined) return;
    // What it was decided from is durable (R3): it is gone for good.
    this.#dropAsksOfDeadLives(facts);
    facts.inDoubt = false;
    facts.end = { kind: "gone", since: now, shownUntilMin: now.at, shownUntilMax: now.at };
  }

  #dropAsksOfDeadLives(facts: JobFacts): void {
    for (const ask of facts.asks) if (ask.life !== this.#chronicle.life) facts.asks.delete(ask);
  }

  /** All or nothing: each wish of one order was granted as often as the others. */
  #mustBeWhole(granted: readonly (readonly JobFacts[])[]): void {
    if (granted.some((jobs) => jobs.some((facts) => facts.wasInDoubt))) return;
    const counts = granted.map((jobs) => jobs.length);
    if (new Set(counts).size <= 1) return;
    const names = granted.map((jobs) => jobs.map((facts) => facts.name).join(" and ") || "none").join(", ");
    this.#chronicle.complain("S1", `an order was granted in part: ${names}`);
  }
}

function mustBeInOrder(chronicle: Chronicle, query: ListQuery, rows: readonly JobSnapshot[]): void {
  const { filter, from, limit, order } = query;
  if (rows.length > limit) chronicle.complain("E", `${rows.length} rows on a page of ${limit}`);
  let last = from;
  for (const { job } of rows) {
    if (last !== undefined && (order === "asc" ? job.id <= last : job.id >= last)) {
      chronicle.complain("E", `a list in order ${order} shows ${job.id} after ${last}`);
    }
    if (filter.queues?.has(job.queue) === false)
      chronicle.complain("E", `${job.id} of queue ${job.queue} is listed, not asked for`);
    last = job.id;
  }
}
