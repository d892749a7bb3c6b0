import { instant } from "@millrace/protocol/ids";
import type { Alarm, Clock } from "../../src/base/clock.ts";
import type { Kv, KvBatch } from "../../src/kv/kv.ts";

/** A write that waits for the test to say how it ended. */
export interface PendingWrite {
  readonly keys: readonly string[];
  readonly sync: boolean;
  succeed(): Promise<void>;
  fail(cause: unknown): Promise<void>;
}

/** A Kv whose writes the test settles by hand, each once; reads are not its business. */
export class FakeKv implements Kv {
  /** Every write that was begun, in order. */
  readonly writes: PendingWrite[] = [];
  discarded = 0;

  batch(): KvBatch {
    const keys: string[] = [];
    return {
      get size() {
        return keys.length;
      },
      put: (key) => void keys.push(Buffer.from(key).toString()),
      del: (key) => void keys.push(`-${Buffer.from(key).toString()}`),
      write: ({ sync }) => this.#begin(keys, sync),
      discard: () => {
        this.discarded += 1;
      },
    };
  }

  /** The write under way. */
  get last(): PendingWrite {
    const last = this.writes.at(-1);
    if (last === undefined) throw new RangeError("nothing was written");
    return last;
  }

  get = () => undefined;
  getMany = async () => [];
  scan = () => notAsked();
  snapshot = () => notAsked();
  close = async () => {};

  #begin(keys: readonly string[], sync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = async (how: () => void) => {
        how();
        await drainMicrotasks();
      };
      this.writes.push({
        keys: [...keys],
        sync,
        succeed: () => settle(resolve),
        fail: (cause) => settle(() => reject(cause)),
      });
    });
  }
}

/** A clock whose `soon` the test runs. */
export class SoonClock implements Clock {
  #waiting: (() => void)[] = [];

  get waiting(): number {
    return this.#waiting.length;
  }

  now = () => instant(0);
  after = (): Alarm => notAsked();

  soon(run: () => void): void {
    this.#waiting.push(run);
  }

  /** One turn of the event loop: what was waiting runs, in order. */
  async turn(): Promise<void> {
    const due = this.#waiting;
    this.#waiting = [];
    for (const run of due) run();
    await drainMicrotasks();
  }
}

/** Lets all promises settle that need nothing but each other. */
export async function drainMicrotasks(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}

function notAsked(): never {
  throw new RangeError("not part of this test");
}
