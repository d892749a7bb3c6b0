/** Watches the streams at the server's end: what is sent on them is said aloud, whether or not it arrives. */
import { clampU64 } from "@millrace/protocol/ids";
import type { TakeMessage } from "../../src/engine/session.ts";
import type { TakeRequest } from "../../src/engine/verbs.ts";
import type { Chronicle } from "./chronicle.ts";
import { differenceFrom, isBeingSettled, isHeld, type JobFacts, type SessionFacts } from "./job-facts.ts";
import { counted } from "./journal.ts";
import { OrderWatch } from "./order-watch.ts";

export class StreamWitness {
  readonly #chronicle: Chronicle;
  readonly #order = new OrderWatch();
  readonly #deliveries = new Set<string>();
  #open = new Set<SessionFacts>();
  sent = 0;
  redelivered = 0;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  /** Memory is rebuilt: from now on it is certain who is ready. */
  memoryRebuilt(): void {
    this.#order.forget(this.#chronicle.clock.now());
  }

  lifeEnds(): void {
    for (const session of this.#open) this.#letGo(session);
    this.#open = new Set();
    this.#order.reset();
  }

  opens(name: string, request: TakeRequest): SessionFacts {
    const { prefetch, queues } = request;
    const session: SessionFacts = {
      name,
      life: this.#chronicle.life,
      prefetch,
      queues,
      holds: new Set(),
      isOpen: true,
      isFull: false,
    };
    this.#open.add(session);
    return session;
  }

  /** The server hears of the end of a stream, or brings it about: what it held is free from now on. */
  closes(session: SessionFacts): void {
    if (!session.isOpen) return;
    this.#letGo(session);
    this.#open.delete(session);
    this.#order.forget(this.#chronicle.clock.now());
  }

  sends(session: SessionFacts, messages: readonly TakeMessage[]): void {
    const chronicle = this.#chronicle;
    if (!session.isOpen || session.life !== chronicle.life) {
      chronicle.complain("S3", `${counted(messages.length, "job")} sent to ${session.name}, whose stream is closed`);
      return;
    }
    if (session.isFull)
      chronicle.complain("S4", `${session.name} is full, and was sent ${counted(messages.length, "more job")}`);
    if (messages.length === 0) chronicle.complain("E", `${session.name} was sent a message of nothing`);
    for (const message of messages) this.#handedOver(session, message);
    this.#mustHaveCredit(session);
  }

  /** Jobs that certainly are at workers now, by stream. */
  heldNow(): ReadonlyMap<SessionFacts, number> {
    return new Map([...this.#open].map((session) => [session, this.#certainlyHeld(session)]));
  }

  #handedOver(session: SessionFacts, message: TakeMessage): void {
    const { job, payload } = message;
    const chronicle = this.#chronicle;
    const facts = chronicle.know(job.id, payload.bytes);
    if (facts === undefined) return;
    this.#mustBeFree(facts, session);
    this.#mustBeTrue(facts, session, message);
    this.#mustBeDue(facts, message);
    const now = chronicle.moment();
    const choice = { chosenAt: job.dequeuedAt, priority: job.priority, id: job.id, name: facts.name };
    const worse = this.#order.chosen(job.queue, choice, readySince(facts, message));
    if (worse !== undefined)
      chronicle.complain("S5", `${worse} was chosen while ${facts.name}, which is better, was ready`);

    this.sent += 1;
    chronicle.touch(job.id);
    if (facts.lastDelivery !== "") this.redelivered += 1;
    facts.holding?.session.holds.delete(facts);
    facts.holding = { session, delivery: job.delivery, since: now };
    session.holds.add(facts);
    facts.lastDelivery = job.delivery;
    facts.readySince = undefined;
    facts.accepted ??= now;
    facts.due ??= { attempts: job.attempts, readyAt: clampU64(job.readyAt) };
    facts.attemptsMin = Math.max(facts.attemptsMin, job.attempts);
    facts.inDoubt = false;
    chronicle.journal.note(session.name, `is sent ${facts.name}`);
  }

  #mustBeFree(facts: JobFacts, session: SessionFacts): void {
    const chronicle = this.#chronicle;
    const { end, name } = facts;
    if (end !== undefined) chronicle.complain("S2", `${name} is over (${end.kind}) and is sent to ${session.name}`);
    if (isHeld(facts, chronicle.life)) {
      chronicle.complain("S3", `${name} is at ${facts.holding?.session.name} and is sent to ${session.name}`);
    }
  }

  #mustBeTrue(facts: JobFacts, session: SessionFacts, { job, payload }: TakeMessage): void {
    const chronicle = this.#chronicle;
    const { wish, name } = facts;
    const difference = differenceFrom(wish, job);
    if (difference !== undefined) chronicle.complain("S1", `${name} is sent with ${difference}`);
    if (!payload.bytes.equals(wish.request.payload.bytes))
      chronicle.complain("S1", `${name} is sent with another payload`);
    if (session.queues !== undefined && !session.queues.includes(job.queue)) {
      chronicle.complain(
        "S5",
        `${name} of queue ${job.queue} is sent to ${session.name}, which did not ask for that queue`,
      );
    }
    if (this.#deliveries.has(job.delivery))
      chronicle.complain("S3", `${name} is sent with a used token ${job.delivery}`);
    this.#deliveries.add(job.delivery);
    if (job.delivery <= facts.lastDelivery) {
      chronicle.complain(
        "S3",
        `${name} is sent with token ${job.delivery}, which sorts before its last, ${facts.lastDelivery}`,
      );
    }
    const isKnown = job.attempts >= facts.attemptsMin && job.attempts <= facts.attemptsMax;
    if (!facts.inDoubt && !isKnown) {
      const range = `${facts.attemptsMin} to ${facts.attemptsMax}`;
      chronicle.complain("S1", `${name} is sent with ${job.attempts} failed attempts, possible is ${range}`);
    }
  }

  #mustBeDue(facts: JobFacts, { job }: TakeMessage): void {
    const chronicle = this.#chronicle;
    const now = chronicle.clock.now();
    const readyAt = clampU64(job.readyAt);
    if (readyAt > job.dequeuedAt)
      chronicle.complain("S5", `${facts.name} was chosen ${readyAt - job.dequeuedAt} ms before its time`);
    if (job.dequeuedAt > now) chronicle.complain("S5", `${facts.name} is sent with a take time that is still to come`);
    const { due } = facts;
    if (due !== undefined && due.attempts === job.attempts && due.readyAt !== readyAt && !facts.inDoubt) {
      chronicle.complain("S1", `${facts.name} was due at ${due.readyAt} and is sent as due at ${readyAt}`);
    }
  }

  /**
   * S4. The contract calls the global limit soft, since several who decide at once may overshoot it a little. Here one process
   * decides one thing at a time, and a claim counts from its decision on, before it is sent: so the oracle, which counts only
   * what was sent and is certainly still held, allows no overshoot at all.
   */
  #mustHaveCredit(session: SessionFacts): void {
    const chronicle = this.#chronicle;
    if (session.prefetch > 0 && session.holds.size > session.prefetch) {
      const held = this.#certainlyHeld(session);
      if (held > session.prefetch)
        chronicle.complain("S4", `${session.name} holds ${held} jobs, its credit is ${session.prefetch}`);
    }
    const limit = chronicle.settings.globalInFlightMax;
    if (limit === 0) return;
    let all = 0;
    for (const open of this.#open) all += this.#certainlyHeld(open);
    if (all > limit) chronicle.complain("S4", `${all} jobs are in flight, the limit is ${limit}`);
  }

  #certainlyHeld(session: SessionFacts): number {
    let held = 0;
    for (const facts of session.holds) if (!isBeingSettled(facts, this.#chronicle.life)) held += 1;
    return held;
  }

  #letGo(session: SessionFacts): void {
    session.isOpen = false;
    for (const facts of session.holds) {
      facts.holding = undefined;
      facts.readySince = isBeingSettled(facts, this.#chronicle.life) ? undefined : this.#chronicle.clock.now();
    }
    session.holds.clear();
  }
}

/** A job is ready when it is due, and not before it is certain to be there. A due time that is reached counts from the next millisecond on. */
function readySince(facts: JobFacts, { job }: TakeMessage): number | undefined {
  if (facts.readySince === undefined || facts.inDoubt) return undefined;
  return Math.max(facts.readySince, clampU64(job.readyAt) + 1);
}
