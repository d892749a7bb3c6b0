import { clampU64 } from "@millrace/protocol/ids";
import type { Enqueued } from "../../src/engine/verbs.ts";
import type { Chronicle } from "./chronicle.ts";
import { differenceFrom, type Moment, type Order } from "./job-facts.ts";
import { counted } from "./journal.ts";
import { isDefinite, type Outcome } from "./outcome.ts";

/** Hears what is asked for and what is promised: S1 begins here. */
export class EnqueueWitness {
  readonly #chronicle: Chronicle;
  accepted = 0;

  constructor(chronicle: Chronicle) {
    this.#chronicle = chronicle;
  }

  /** The request reached a server. The result is to be called with what the server says. */
  begins(order: Order): (outcome: Outcome<readonly Enqueued[]>) => void {
    const begun = this.#chronicle.moment();
    this.#chronicle.place(order);
    order.arrivals += 1;
    return (outcome) => {
      if (outcome.kind === "answered") this.#promised(order, begun, outcome.value);
      else if (isDefinite(outcome)) order.arrivals -= 1;
    };
  }

  #promised(order: Order, begun: Moment, answer: readonly Enqueued[]): void {
    const chronicle = this.#chronicle;
    const now = chronicle.moment();
    if (answer.length !== order.wishes.length) {
      chronicle.complain("S1", `${counted(order.wishes.length, "job")} asked for, ${answer.length} answered`);
    }
    let last = "";
    for (const [index, wish] of order.wishes.entries()) {
      const job = answer[index]?.job;
      if (job === undefined) continue;
      if (job.id <= last) chronicle.complain("S1", `ids do not increase within a request: ${last}, ${job.id}`);
      last = job.id;
      // It may have been handed out a moment before its enqueue was answered: both follow from one write.
      const known = chronicle.jobs.get(job.id);
      if (known !== undefined && known.wish !== wish) chronicle.complain("S1", `id ${job.id} was given to two jobs`);
      const facts = known ?? chronicle.meet(job.id, wish, order);
      const difference = differenceFrom(wish, job);
      if (difference !== undefined) chronicle.complain("S1", `${facts.name} was accepted with ${difference}`);
      const readyAt = clampU64(job.readyAt);
      const asked = wish.request.readyAt;
      const isAsAsked = asked === undefined ? readyAt >= begun.at && readyAt <= now.at : job.readyAt === asked;
      if (!isAsAsked)
        chronicle.complain("S1", `${facts.name} was accepted for ${readyAt}, asked for ${asked ?? "now"}`);
      facts.accepted ??= now;
      facts.due ??= { attempts: 0, readyAt };
      if (known === undefined) facts.readySince = Math.max(now.at, readyAt + 1);
      this.accepted += 1;
    }
  }
}
