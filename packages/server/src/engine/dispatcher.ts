/**
 * Pairs the best ready jobs with sessions that have credit. Two kinds of events call for work: a queue has a ready job
 * (`jobReady`), a session may have credit (`sessionHungry`, `slotFreed`). They only take a note; `pump()` does the work for
 * all notes at once and is called by whoever caused them, in the same breath, so that its claims join the write then
 * gathering: an ack and the claims that its credit pays for are one write.
 *
 * No thundering herd: a session that found nothing waits, in order of arrival, in the lists of its queues; a ready job
 * touches the one session that has waited longest. Slots are computed from the in-flight index, and `reconcile()` looks at
 * every session now and then, so that an event that was missed costs time, never a stuck stream.
 */
import { invariant } from "../base/assert.ts";
import { claim } from "../job/transitions.ts";
import type { Core } from "./core.ts";
import { type Claim, type JobSink, Session } from "./session.ts";
import type { TakeRequest } from "./verbs.ts";
import { WaitingSessions } from "./waiting-sessions.ts";

/** Claims of one session in one turn: however large its credit, others get theirs in between. */
const claimsAtOnceMax = 1000;

export class Dispatcher {
  readonly #core: Core;
  readonly #sessions = new Map<number, Session>();
  readonly #waiting = new WaitingSessions();
  /** Sessions that may have credit and were not tried since. */
  readonly #hungry = new Set<Session>();
  /** Queues that may have a ready job that no session was offered. */
  readonly #ready = new Set<string>();
  #nextNumber = 1;
  #running = false;
  #touched = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** How often a session was tried for work since the start: what the no-herd rule bounds. */
  get touched(): number {
    return this.#touched;
  }

  /** Until now sessions open, but get nothing: memory was not rebuilt. */
  start(): void {
    this.#running = true;
    this.pump();
  }

  open(request: TakeRequest, sink: JobSink): Session {
    const session = new Session(this.#core, this.#nextNumber, request, sink);
    this.#nextNumber += 1;
    this.#sessions.set(session.number, session);
    this.#core.logger.debug("stream opened", { stream: session.number, worker: request.workerId });
    this.#hungry.add(session);
    this.pump();
    return session;
  }

  /** A job of this queue became ready. */
  jobReady(queue: string): void {
    this.#ready.add(queue);
  }

  /** This session may have credit. */
  sessionHungry(session: Session): void {
    if (!session.isGone) this.#hungry.add(session);
  }

  /** A job left in flight: its session has credit again, and the whole has room. */
  slotFreed(sessionNumber: number): void {
    const session = this.#sessions.get(sessionNumber);
    if (session !== undefined) this.#hungry.add(session);
  }

  sessionGone(session: Session): void {
    this.#sessions.delete(session.number);
    this.#hungry.delete(session);
    this.#waiting.delete(session);
  }

  /** Ends every stream; what they hold is ready again. */
  endAll(): void {
    this.#running = false;
    for (const session of [...this.#sessions.values()]) session.end();
  }

  /** The life is over: streams end, nothing is given back. */
  abandonAll(): void {
    this.#running = false;
    for (const session of [...this.#sessions.values()]) session.abandon();
    this.#sessions.clear();
  }

  /** Does what the notes call for. Notes that must wait for room under the global limit stay. */
  pump(): void {
    if (!this.#running) return;
    // Whoever is served goes to the end of the line, so that room under the global limit goes round.
    for (let tries = this.#hungry.size; tries > 0 && this.#room() > 0; tries -= 1) {
      const [session] = this.#hungry;
      if (session === undefined) break;
      this.#hungry.delete(session);
      this.#fill(session);
    }
    for (const queue of this.#ready) {
      if (!this.#offer(queue)) return;
      this.#ready.delete(queue);
    }
  }

  /**
   * Looks at every session as if nothing were known of it. Finds work only when an event was missed, which would be our
   * fault; so it says what it found.
   * @returns sessions that had credit and work and were not told
   */
  reconcile(): number {
    if (!this.#running || this.#room() <= 0) return 0;
    let found = 0;
    for (const session of this.#sessions.values()) {
      if (this.#hungry.has(session) || session.credit === 0) continue;
      if (!this.#core.indexes.hasReady(session.queues)) continue;
      found += 1;
      this.#hungry.add(session);
    }
    if (found > 0) this.#core.logger.warn("streams had credit and work and were not told", { streams: found });
    this.pump();
    return found;
  }

  /** Gives the queue's ready jobs to the sessions that wait; false when the global limit is reached. */
  #offer(queue: string): boolean {
    const named = [queue];
    while (this.#core.indexes.hasReady(named)) {
      if (this.#room() <= 0) return false;
      const session = this.#waiting.longest(queue);
      if (session === undefined) return true;
      const claims = this.#fill(session);
      invariant(claims > 0, "a waiting session took nothing although its queue had a ready job");
    }
    return true;
  }

  /** Claims up to the session's credit, in one member of the write then gathering. Leaves it waiting if credit remains. */
  #fill(session: Session): number {
    const { indexes, tokens, store, committer, clock } = this.#core;
    this.#touched += 1;
    this.#waiting.delete(session);
    const most = Math.min(session.credit, this.#room(), claimsAtOnceMax);
    const claims: Claim[] = [];
    if (most > 0) {
      const now = clock.now();
      const batch = committer.stage();
      while (claims.length < most) {
        const slot = indexes.bestReady(session.queues);
        if (slot < 0) break;
        const ready = indexes.read(slot);
        invariant(ready.status === "ready", "the ready index held a job that was not ready");
        const job = claim(ready, tokens.next(), now);
        indexes.claim(slot, job, session.number);
        store.putClaim(batch, job);
        claims.push({ slot, job });
      }
      if (claims.length > 0) {
        session.claimed(claims.length);
        committer.join("async", new Handover(session, claims));
      }
    }
    if (session.credit > 0) {
      // It goes on when its write is done, or when there is room again.
      if (claims.length === claimsAtOnceMax || this.#room() <= 0) this.#hungry.add(session);
      else this.#waiting.add(session);
    }
    return claims.length;
  }

  #room(): number {
    const limit = this.#core.settings.globalInFlightMax;
    return limit === 0 ? Number.POSITIVE_INFINITY : limit - this.#core.indexes.inFlightCount;
  }
}

/** Sends claims when they are durable. When their write failed this life is over, and recovery makes the jobs ready again. */
class Handover {
  readonly #session: Session;
  readonly #claims: readonly Claim[];

  constructor(session: Session, claims: readonly Claim[]) {
    this.#session = session;
    this.#claims = claims;
  }

  durable(): void {
    this.#session.deliver(this.#claims);
  }

  refused(): void {}
}
