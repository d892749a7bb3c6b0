/** Typed events. A listener that throws is reported and neither breaks the caller nor silences the listeners after it. */
export class Listeners<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #lists = new Map<keyof Events, readonly ((...args: never) => void)[]>();
  readonly #threw: (cause: unknown, event: keyof Events) => void;

  /** `threw` hears what a listener threw; it must not throw itself. */
  constructor(threw: (cause: unknown, event: keyof Events) => void) {
    this.#threw = threw;
  }

  /** Adds a listener; the function it answers takes it away again. */
  on<Name extends keyof Events>(event: Name, listener: (...args: Events[Name]) => void): () => void {
    // Lists are replaced, never changed, so that one may come or go while an event is being told.
    this.#lists.set(event, [...(this.#lists.get(event) ?? []), listener]);
    return () => {
      const left = (this.#lists.get(event) ?? []).filter((other) => other !== listener);
      this.#lists.set(event, left);
    };
  }

  has(event: keyof Events): boolean {
    return (this.#lists.get(event)?.length ?? 0) > 0;
  }

  emit<Name extends keyof Events>(event: Name, ...args: Events[Name]): void {
    const list = this.#lists.get(event) as readonly ((...args: Events[Name]) => void)[] | undefined;
    if (list === undefined) return;
    for (const listener of list) {
      try {
        listener(...args);
      } catch (cause) {
        this.#threw(cause, event);
      }
    }
  }
}
