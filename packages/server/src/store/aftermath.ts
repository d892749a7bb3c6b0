/**
 * After a power cut: writes that were not synced may be missing, even ones older than others that are there. What they leave
 * behind is found here and put right by `engine/recovery.ts`; after any other end there is nothing to look for.
 */
import type { Kv, KvBatch, KvReader } from "../kv/kv.ts";
import { type Bodiless, bodilessIn } from "./bodiless.ts";
import { markClean, markRepaired } from "./format-guard.ts";
import { type Orphan, orphansIn } from "./orphans.ts";
import type { Quarantine } from "./quarantine.ts";

export class Aftermath {
  /** Whether unsynced writes of the last life may be missing. */
  readonly mayHaveLostWrites: boolean;
  readonly #kv: Kv;
  readonly #quarantine: Quarantine;
  readonly #boot: string | undefined;

  constructor(options: { kv: Kv; quarantine: Quarantine; mayHaveLostWrites: boolean; boot: string | undefined }) {
    this.#kv = options.kv;
    this.#quarantine = options.quarantine;
    this.#boot = options.boot;
    this.mayHaveLostWrites = options.mayHaveLostWrites;
  }

  /** Claims, errors and payloads without their job; {@link dropOrphan} them. */
  scanOrphans(at: KvReader = this.#kv): AsyncIterable<readonly Orphan[]> {
    return orphansIn(at);
  }

  dropOrphan(batch: KvBatch, orphan: Orphan): void {
    batch.del(orphan.key);
  }

  /** Jobs whose payload stood apart and is gone. */
  scanBodiless(at: KvReader = this.#kv): AsyncIterable<readonly Bodiless[]> {
    return bodilessIn(at, this.#quarantine);
  }

  /** Everything was put right, once the batch is written; it must be synced. */
  markRepaired(batch: KvBatch): void {
    markRepaired(batch, this.#boot);
  }

  /** Marks an orderly end; nothing is written after it. @throws QueueError STORAGE_UNAVAILABLE */
  markClean(): Promise<void> {
    return markClean(this.#kv);
  }
}
