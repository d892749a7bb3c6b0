/**
 * S5: among the ready jobs of a queue the best goes first.
 *
 * From outside one cannot see which jobs were ready when the server chose one. But each message says when it was chosen
 * (`dequeuedAt`), and of some jobs it is certain that they were ready at that instant. So the question is asked afterwards: a
 * job K that is handed out was chosen at `K.dequeuedAt` and was certainly ready since some earlier instant; if in between,
 * strictly, a worse job J of the same queue was chosen, then J went first although K stood there. Equal instants prove nothing.
 *
 * A stream that closes may give back jobs that were claimed for it and never sent, which nobody outside could see: nothing
 * before that instant is certain any more (`forget`).
 */
interface Choice {
  readonly chosenAt: number;
  readonly priority: number;
  readonly id: string;
  readonly name: string;
}

export class OrderWatch {
  readonly #byQueue = new Map<string, Choice[]>();
  #certainFrom = Number.POSITIVE_INFINITY;

  /** Nothing is certain about who was ready before this instant. */
  forget(now: number): void {
    this.#certainFrom = now;
    this.#byQueue.clear();
  }

  /** A new life: nothing is certain until memory is rebuilt. */
  reset(): void {
    this.forget(Number.POSITIVE_INFINITY);
  }

  /**
   * A job was handed out.
   * @param readySince since when it certainly was ready; undefined when that is not known
   * @returns the name of a worse job that was chosen while this one stood there
   */
  chosen(queue: string, job: Choice, readySince: number | undefined): string | undefined {
    const choices = this.#byQueue.get(queue);
    if (choices === undefined) {
      this.#byQueue.set(queue, [job]);
      return undefined;
    }
    const since = readySince === undefined ? Number.POSITIVE_INFINITY : Math.max(readySince, this.#certainFrom);
    const worse = choices.find(
      (other) => other.chosenAt > since && other.chosenAt < job.chosenAt && isBetter(job, other),
    );
    choices.push(job);
    return worse?.name;
  }
}

function isBetter(a: Choice, b: Choice): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.id < b.id);
}
