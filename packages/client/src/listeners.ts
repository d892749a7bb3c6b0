/** Typed events. A listener that throws is reported and neither breaks the caller nor silences the listeners after it. */
export class Listeners<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  readonly #lists: { [Name in keyof Events]?: readonly ((...args: Events[Name]) => void)[] } = {};
  readonly #threw: (cause: unknown, event: keyof Events) => void;

  /** `threw` hears what a listener threw; it must not throw itself. */
  constructor(threw: (cause: unknown, event: keyof Events) => void) {
    this.#threw = threw;
  }

  /** Adds a listener; the function it answers takes it away again. */
  on<Name extends keyof Events>(event: Name, listener: (...args: Events[Name]) => void): () => void {
    // Lists are replaced, never changed, so that one may come or go while an event is being told.
    this.#lists[event] = [...(this.#lists[event] ?? []), listener];
    return () => {
      this.#lists[event] = (this.#lists[event] ?? []).filter((other) => other !== listener);
    };
  }

  has(event: keyof Events): boolean {
    return (this.#lists[event]?.length ?? 0) > 0;
  }

  emit<Name extends keyof Events>(event: Name, ...args: Events[Name]): void {
    for (const listener of this.#lists[event] ?? []) {
      try {
        listener(...args);
      } catch (cause) {
        this.#threw(cause, event);
      }
    }
  }
}
