import type { QueueError } from "@millrace/protocol/errors";
import { type Durability, GroupCommitter, type Waiter } from "../../src/kv/group-committer.ts";
import { FakeKv, SoonClock } from "./fake-kv.ts";

export interface JoinOptions {
  readonly durability?: Durability;
  readonly operations?: number;
  readonly onDurable?: () => void;
}

/** A committer between a Kv and a clock that the test drives, and an ear on everybody who waits. */
export class CommitterRig {
  readonly kv = new FakeKv();
  readonly clock = new SoonClock();
  /** What the waiters and the owner heard, in order. */
  readonly heard: string[] = [];
  readonly committer: GroupCommitter;

  constructor(operationsMax = 100) {
    this.committer = new GroupCommitter({
      kv: this.kv,
      clock: this.clock,
      operationsMax,
      onWritten: () => void this.heard.push("written"),
      onPoison: (cause) => void this.heard.push(`poison ${String(cause)}`),
    });
  }

  waiter(name: string, onDurable?: () => void): Waiter {
    return {
      durable: () => {
        this.heard.push(name);
        onDurable?.();
      },
      refused: (error: QueueError) => void this.heard.push(`${name} ${error.code}`),
    };
  }

  /** Stages operations named after the waiter, and joins for them. */
  join(name: string, options: JoinOptions = {}): void {
    const batch = this.committer.stage();
    for (let i = 0; i < (options.operations ?? 1); i += 1) batch.put(Buffer.from(`${name}${i}`), Buffer.from("v"));
    this.committer.join(options.durability ?? "async", this.waiter(name, options.onDurable));
  }
}
