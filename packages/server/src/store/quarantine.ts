import type { Logger } from "../base/logger.ts";
import type { Unreadable } from "./job-record.ts";

/** Keys remembered so that a bad record that is met again and again is said once. */
const keysRememberedMax = 10_000;

/**
 * Where unreadable records go: nowhere. They stay on disk for whoever repairs the store, are counted, logged with their key,
 * and never handed out: scans pass over them, and a single read finds nothing.
 */
export class Quarantine {
  readonly #logger: Logger;
  readonly #keys = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger.for("millrace.store");
  }

  /** Unreadable records met so far, each counted once; it stops counting at 10,000. */
  get size(): number {
    return this.#keys.size;
  }

  /** What was decoded, or undefined after taking note that it could not be. */
  admit<T>(key: Uint8Array, decoded: T | Unreadable): T | undefined {
    if (!isUnreadable(decoded)) return decoded;
    this.note(key, decoded);
    return undefined;
  }

  note(key: Uint8Array, why: Unreadable): void {
    const hex = Buffer.from(key).toString("hex");
    if (this.#keys.has(hex) || this.#keys.size >= keysRememberedMax) return;
    this.#keys.add(hex);
    this.#logger.error(reasons[why], { key: hex, unreadable_records: this.#keys.size });
  }
}

const reasons = {
  damaged: "a record in the store is damaged; it is left alone and not used",
  newer: "a record in the store was written by a newer version; it is left alone and not used",
} as const satisfies Record<Unreadable, string>;

function isUnreadable(decoded: unknown): decoded is Unreadable {
  return decoded === "damaged" || decoded === "newer";
}
