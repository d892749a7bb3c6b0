/**
 * Hears how jobs end and fail. A request may take effect at any time between its arrival and its answer, because the server
 * decides at once and speaks when it is durable (R3); and when the answer never comes, perhaps it did and perhaps not. Until
 * an answer is heard the oracle therefore asks less of that job, never more.
 */
import { clampU64 } from "@millrace/protocol/ids";
import type { Ack, SettleReport } from "../../src/engine/verbs.ts";
import type { Failure, Job } from "../../src/job/job.ts";
import type { Chronicle } from "./chronicle.ts";
import { type Ask, type End, isHeld, type JobFacts, mayHaveEnded } from "./job-facts.ts";
import { isDefinite, type Outcome } from "./outcome.ts";

interface OpenAsk {
  readonly facts: JobFacts;
  readonly ask: Ask;
  /** It names a delivery that is certainly not the current one. */
  readonly isStale: boolean;
  /** Failures that were certain when it began. */
  readonly attemptsBefore: number;
}

export class SettleWitness {
  readonly #chronicle: Chronicle;
  confirmed = 0;
  failed = 0;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  /** An ack, or several in one request, reached a server. */
  successBegins(acks: readonly Ack[]): (outcome: Outcome<SettleReport | undefined>) => void {
    const asks = new Map<string, OpenAsk>();
    for (const ack of acks) if (!asks.has(ack.id)) this.#open(asks, ack, "success", true);
    return (outcome) => {
      const refused = outcome.kind === "answered" ? new Set(outcome.value?.notFound) : new Set<string>();
      const stale = outcome.kind === "answered" ? new Set(outcome.value?.stale) : new Set<string>();
      for (const [id, open] of asks) {
        if (outcome.kind === "answered" && !refused.has(id) && !stale.has(id)) this.#succeeded(open);
        else if (outcome.kind === "answered") this.#refused(open, stale.has(id) ? "STALE_DELIVERY" : "not found");
        else this.#notDone(open, outcome);
      }
    };
  }

  failureBegins(ack: Ack, failure: Failure): (outcome: Outcome<Job>) => void {
    const asks = new Map<string, OpenAsk>();
    const facts = this.#chronicle.jobs.get(ack.id);
    const limit = facts?.wish.request.options.retryLimit ?? this.#chronicle.settings.defaultRetryLimit;
    const isLast = facts !== undefined && facts.attemptsMax + 1 > limit;
    this.#open(asks, ack, "failure", failure.kill || (failure.retryAt === undefined && isLast));
    return (outcome) => {
      for (const open of asks.values()) {
        if (outcome.kind === "answered") this.#failed(open, outcome.value, failure);
        else this.#notDone(open, outcome);
      }
    };
  }

  removalBegins(id: string): (outcome: Outcome<void>) => void {
    const asks = new Map<string, OpenAsk>();
    this.#open(asks, { id }, "removal", true);
    return (outcome) => {
      for (const open of asks.values()) {
        if (outcome.kind === "answered") this.#removed(open);
        else this.#notDone(open, outcome);
      }
    };
  }

  #open(into: Map<string, OpenAsk>, ack: Ack, kind: Ask["kind"], mayEnd: boolean): void {
    const chronicle = this.#chronicle;
    const facts = chronicle.jobs.get(ack.id);
    if (facts === undefined) return;
    chronicle.touch(ack.id);
    const isStale = ack.delivery !== undefined && ack.delivery !== facts.lastDelivery;
    const holding = !isStale && isHeld(facts, chronicle.life) && !facts.inDoubt ? facts.holding : undefined;
    const others = [...facts.asks].filter((other) => other.life === chronicle.life);
    for (const other of others) other.disturbed = true;
    const begun = chronicle.moment();
    const ask: Ask = { kind, life: chronicle.life, begun, mayEnd, holding, disturbed: others.length > 0 };
    into.set(ack.id, { facts, ask, isStale, attemptsBefore: facts.attemptsMin });
    if (isStale) return;
    facts.asks.add(ask);
    if (kind === "failure") {
      facts.attemptsMax += 1;
      facts.readySince = undefined;
    }
  }

  #succeeded(open: OpenAsk): void {
    const { facts, ask } = open;
    this.#mustBeOpenToChange(open, "its ack was confirmed");
    this.confirmed += 1;
    const { wish } = facts;
    const kept = wish.request.options.completedRetentionMs ?? this.#chronicle.settings.completedRetentionMs;
    const keptMs = clampU64(kept);
    const now = this.#chronicle.moment();
    this.#end(open, {
      kind: keptMs === 0 ? "gone" : "completed",
      since: now,
      shownUntilMin: ask.begun.at + keptMs,
      shownUntilMax: now.at + keptMs,
    });
  }

  #failed(open: OpenAsk, job: Job, failure: Failure): void {
    const { facts } = open;
    const chronicle = this.#chronicle;
    this.#mustBeOpenToChange(open, "its failure was confirmed");
    this.failed += 1;
    if (job.attempts <= open.attemptsBefore || job.attempts > facts.attemptsMax) {
      const range = `${open.attemptsBefore + 1} to ${facts.attemptsMax}`;
      if (!facts.inDoubt)
        chronicle.complain("S1", `${facts.name} failed for the ${job.attempts}th time, possible is ${range}`);
    }
    facts.attemptsMin = Math.max(facts.attemptsMin, job.attempts);
    const now = chronicle.moment();
    if (job.status === "dead") {
      const until = job.purgeAt === undefined ? now.at : clampU64(job.purgeAt);
      const kind = job.purgeAt === undefined ? "gone" : "dead";
      this.#end(open, { kind, since: now, shownUntilMin: until, shownUntilMax: until });
      return;
    }
    if (failure.kill || job.status !== "scheduled") {
      chronicle.complain(
        "S1",
        `${facts.name} is ${job.status} after a failure${failure.kill ? " that was to kill it" : ""}`,
      );
    }
    if (failure.retryAt !== undefined && job.readyAt !== failure.retryAt) {
      chronicle.complain("S1", `${facts.name} is to be tried again at ${job.readyAt}, asked was ${failure.retryAt}`);
    }
    this.#close(open);
    const readyAt = clampU64(job.readyAt);
    if ((facts.due?.attempts ?? -1) < job.attempts) facts.due = { attempts: job.attempts, readyAt };
    facts.accepted ??= now;
    if (facts.holding !== undefined && facts.holding.since.turn < open.ask.begun.turn) {
      this.#letGo(facts);
      facts.readySince = Math.max(now.at, readyAt + 1);
    }
  }

  #removed(open: OpenAsk): void {
    const now = this.#chronicle.moment();
    this.#mustBeOpenToChange(open, "its deletion was confirmed");
    this.#end(open, { kind: "gone", since: now, shownUntilMin: now.at, shownUntilMax: now.at });
  }

  /** A confirmed change needs a job that can still change. */
  #mustBeOpenToChange(open: OpenAsk, what: string): void {
    const { facts, ask, isStale } = open;
    const chronicle = this.#chronicle;
    if (isStale) chronicle.complain("S3", `${facts.name}: ${what}, for a delivery that is not the current one`);
    const { end } = facts;
    if (end === undefined || end.since.turn > ask.begun.turn) return;
    const isKept = end.kind !== "gone" && ask.kind === "removal" && ask.begun.at < end.shownUntilMax;
    if (!isKept) chronicle.complain("S2", `${facts.name}: ${what}, although it was over before (${end.kind})`);
  }

  #notDone(open: OpenAsk, outcome: Outcome<unknown>): void {
    if (outcome.kind === "refused" && isDefinite(outcome)) this.#refused(open, outcome.code);
    // Else the ask stays open: perhaps it was done.
  }

  #refused(open: OpenAsk, code: string): void {
    const { facts, ask } = open;
    this.#close(open);
    if (ask.kind === "failure" && !open.isStale) facts.attemptsMax -= 1;
    if (code === "NOT_READY") return;
    const wasHeldAllTheTime = ask.holding !== undefined && !ask.disturbed && facts.holding === ask.holding;
    if (wasHeldAllTheTime && ask.holding?.session.isOpen === true) {
      this.#chronicle.complain(
        "S3",
        `${facts.name} is held by ${ask.holding.session.name}, but its ${ask.kind} was refused: ${code}`,
      );
    }
    if (code === "JOB_NOT_FOUND") this.#isGone(facts, ask);
  }

  /** Such an answer waits until what it was decided from is durable (R3), so it is as good as the answer to whoever ended the job. */
  #isGone(facts: JobFacts, ask: Ask): void {
    const { accepted, end, name } = facts;
    if (accepted === undefined || accepted.turn > ask.begun.turn || end !== undefined) return;
    if (!mayHaveEnded(facts) && !ask.disturbed) {
      this.#chronicle.complain("S1", `${name} is not found by a ${ask.kind}, though nothing ended it`);
      return;
    }
    const since = this.#chronicle.moment();
    facts.end = { kind: "gone", since, shownUntilMin: since.at, shownUntilMax: since.at };
  }

  #end(open: OpenAsk, end: End): void {
    const { facts } = open;
    this.#close(open);
    facts.inDoubt = false;
    facts.accepted ??= end.since;
    if (facts.end === undefined || end.kind === "gone") facts.end = end;
    this.#letGo(facts);
  }

  #close({ facts, ask }: OpenAsk): void {
    facts.asks.delete(ask);
  }

  #letGo(facts: JobFacts): void {
    facts.holding?.session.holds.delete(facts);
    facts.holding = undefined;
  }
}
