import type { Session } from "./session.ts";

/** Sessions that have credit and found nothing to do, by queue, each list in the order of waiting. */
export class WaitingSessions {
  /** Those that take from all queues. */
  readonly #all = new Set<Session>();
  readonly #byQueue = new Map<string, Set<Session>>();
  readonly #since = new Map<Session, number>();
  #turn = 0;

  add(session: Session): void {
    if (this.#since.has(session)) return;
    this.#since.set(session, this.#turn);
    this.#turn += 1;
    if (session.queues === undefined) {
      this.#all.add(session);
      return;
    }
    for (const queue of session.queues) {
      const list = this.#byQueue.get(queue);
      if (list === undefined) this.#byQueue.set(queue, new Set([session]));
      else list.add(session);
    }
  }

  delete(session: Session): void {
    if (!this.#since.delete(session)) return;
    this.#all.delete(session);
    for (const queue of session.queues ?? []) {
      const list = this.#byQueue.get(queue);
      list?.delete(session);
      if (list?.size === 0) this.#byQueue.delete(queue);
    }
  }

  /** The session that may take from this queue and has waited longest. */
  longest(queue: string): Session | undefined {
    const [any] = this.#all;
    const [own] = this.#byQueue.get(queue) ?? [];
    if (any === undefined) return own;
    if (own === undefined) return any;
    return this.#turnOf(any) < this.#turnOf(own) ? any : own;
  }

  #turnOf(session: Session): number {
    return this.#since.get(session) ?? Number.POSITIVE_INFINITY;
  }
}
