/**
 * The one way to write: many commits, one synced write. No timer is needed for that:
 *
 *   idle ──join──> due ──soon──> writing ──done──> writing ──done──> idle
 *                                   │  what joins meanwhile ──┘         (nothing had joined)
 *                                   └──failed──> poisoned, for good
 *
 * An idle committer writes as soon as the events that are already waiting have had their turn; while a write is under way the
 * next one gathers, and it starts when that one returns: load widens the writes by itself, and idleness adds no delay.
 *
 *   C1. One write at a time, in the order in which they gathered. One join is never split over two.
 *   C2. Every waiter hears exactly once, in the order of joining, never inside its own `join()`.
 *   C3. After a write that failed nothing is known (R4): that write's waiters, those gathered behind it and all later ones
 *       are refused with STORAGE_UNAVAILABLE.
 *   C4. Operations belong to the join that follows them in the same breath. A write that holds others is a broken
 *       invariant, since nobody would hear of their fate.
 */
import { QueueError } from "@millrace/protocol/errors";
import { BrokenInvariant, invariant } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { Kv, KvBatch } from "./kv.ts";

/** Hears of one write. Neither method may throw. */
export interface Waiter {
  /** Everything staged for it is on disk, as safe as was asked for. */
  durable(): void;
  /** It is not known whether it is on disk; or, with SHUTTING_DOWN, it is known not to be. */
  refused(error: QueueError): void;
}

/** `sync`: safe from a power cut; `async`: safe from a crash of the process. */
export type Durability = "sync" | "async";

export interface GroupCommitterOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  /** Operations after which a gathering write is closed and the next one begins to gather. */
  readonly operationsMax: number;
  /** After the waiters of each write that succeeded, before the next write starts: what is joined here goes with it. */
  onWritten(): void;
  /** Once, after everybody under way was refused. */
  onPoison(cause: unknown): void;
}

/** What will be one write. */
interface Group {
  readonly batch: KvBatch;
  readonly waiters: Waiter[];
  sync: boolean;
  /** Operations that somebody joined for. */
  joined: number;
}

export class GroupCommitter {
  readonly #options: GroupCommitterOptions;
  /** Groups that somebody joined, in the order of their writes. */
  readonly #queue: Group[] = [];
  /** The group that is open: the last one of the queue, or one that nobody has joined yet. */
  #gathering: Group | undefined;
  #writing: Group | undefined;
  #startIsDue = false;
  #refusal: QueueError | undefined;
  #poisoned = false;

  constructor(options: GroupCommitterOptions) {
    invariant(options.operationsMax > 0, "a write must hold at least one operation");
    this.#options = options;
  }

  /** The batch now gathering: put and delete in it, then `join()` in the same breath. After a refusal it leads nowhere. */
  stage(): KvBatch {
    if (this.#refusal !== undefined) return lostBatch;
    this.#gathering ??= this.#newGroup();
    return this.#gathering.batch;
  }

  /** What was staged, or just the place in the order, belongs to this waiter. The write is synced if any member asks for it. */
  join(durability: Durability, waiter?: Waiter): void {
    const refusal = this.#refusal;
    if (refusal !== undefined) {
      if (waiter !== undefined) this.#options.clock.soon(() => this.#tell([waiter], refusal));
      return;
    }
    this.#gathering ??= this.#newGroup();
    const group = this.#gathering;
    if (this.#queue.at(-1) !== group) this.#queue.push(group);
    group.joined = group.batch.size;
    if (durability === "sync") group.sync = true;
    if (waiter !== undefined) group.waiters.push(waiter);
    if (group.joined >= this.#options.operationsMax) this.#gathering = undefined;
    this.#startSoon();
  }

  /** {@link join} as a promise; rejects with the QueueError of the refusal. */
  commit(durability: Durability): Promise<void> {
    return new Promise((resolve, reject) => this.join(durability, { durable: resolve, refused: reject }));
  }

  /** Resolves when everything joined up to now is durable, at once if that is so already. Rejects when it never will be. */
  settled(): Promise<void> {
    if (this.#poisoned && this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const last = this.#queue.at(-1) ?? this.#writing;
    if (last === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => last.waiters.push({ durable: resolve, refused: reject }));
  }

  /** Writes what has joined, then rests; whoever joins from now on is refused with SHUTTING_DOWN. Twice is fine. */
  async stop(): Promise<void> {
    const settled = this.settled();
    this.#refusal ??= new QueueError("SHUTTING_DOWN", "the server is shutting down");
    // A failure was told to those who waited for their own operations, and to the owner.
    await settled.catch(() => {});
  }

  #newGroup(): Group {
    return { batch: this.#options.kv.batch(), waiters: [], sync: false, joined: 0 };
  }

  #startSoon(): void {
    if (this.#writing !== undefined || this.#startIsDue) return;
    this.#startIsDue = true;
    this.#options.clock.soon(() => {
      this.#startIsDue = false;
      this.#startNext();
    });
  }

  #startNext(): void {
    const group = this.#writing === undefined && !this.#poisoned ? this.#queue.shift() : undefined;
    if (group === undefined) return;
    if (group === this.#gathering) this.#gathering = undefined;
    invariant(group.batch.size === group.joined, "operations were staged that nobody joined for");
    this.#writing = group;
    this.#write(group).then(
      () => this.#written(group),
      (cause: unknown) => this.#poison(cause),
    );
  }

  async #write(group: Group): Promise<void> {
    // A group of waiters alone only keeps its place in the order.
    if (group.joined === 0) group.batch.discard();
    else await group.batch.write(group.sync ? synced : unsynced);
  }

  #written(group: Group): void {
    this.#tell(group.waiters);
    // Only now: what these waiters, and the dispatch that follows them, join for belongs to the next write.
    this.#writing = undefined;
    this.#options.onWritten();
    this.#startNext();
  }

  #poison(cause: unknown): void {
    const refusal = new QueueError("STORAGE_UNAVAILABLE", "a write to the store failed", { cause });
    const refused = [this.#writing, ...this.#queue].flatMap((group) => group?.waiters ?? []);
    for (const group of this.#queue) group.batch.discard();
    this.#gathering?.batch.discard();
    this.#refusal = refusal;
    this.#poisoned = true;
    this.#queue.length = 0;
    this.#gathering = undefined;
    this.#writing = undefined;
    this.#tell(refused, refusal);
    this.#options.onPoison(cause);
  }

  /** A waiter that throws is our own fault and ends the process, but not before the others have heard. */
  #tell(waiters: readonly Waiter[], refusal?: QueueError): void {
    for (const waiter of waiters) {
      try {
        if (refusal === undefined) waiter.durable();
        else waiter.refused(refusal);
      } catch (cause) {
        this.#options.clock.soon(() => {
          throw new BrokenInvariant("whoever waited for a write threw", { cause });
        });
      }
    }
  }
}

const synced = { sync: true } as const;
const unsynced = { sync: false } as const;

/** Takes what is staged after a refusal, and forgets it. */
const lostBatch: KvBatch = {
  size: 0,
  put() {},
  del() {},
  async write() {
    invariant(false, "a refused batch was written");
  },
  discard() {},
};
