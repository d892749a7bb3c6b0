/**
 * The first thing read and written of a store: is this ours, can this build read it, and which life is this?
 * The writer epoch grows with every start, and is synced before anything else is written: delivery tokens that begin with it
 * can never repeat, though claims are not synced and the clock may step back.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { Instant } from "@millrace/protocol/ids";
import type { Kv } from "../kv/kv.ts";
import { metaKey } from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";
import { decodeFormat, decodeNumber, encodeFormat, encodeNumber } from "./small-records.ts";

/** Raised by any change after which an older server would misread the store. */
const FORMAT_VERSION = 1;

/**
 * Begins a life on a store; a fresh one becomes ours.
 * @returns the writer epoch of this life: the stored one plus 1, but not less than `now` in seconds
 * @throws QueueError STORAGE_UNAVAILABLE when the store is of another format version, or not ours, or cannot be written
 */
export async function beginLife(kv: Kv, quarantine: Quarantine, now: Instant): Promise<number> {
  const formatKey = metaKey("format");
  const epochKey = metaKey("epoch");
  const format = kv.get(formatKey);
  if (format === undefined) await refuseStrangers(kv);
  else refuseOtherVersions(decodeFormat(format, formatKey));
  const record = kv.get(epochKey);
  const stored = record === undefined ? undefined : quarantine.admit(epochKey, decodeNumber(record, epochKey));
  const epoch = Math.max((stored ?? 0) + 1, Math.floor(now / 1000));
  const batch = kv.batch();
  if (format === undefined) batch.put(formatKey, encodeFormat(FORMAT_VERSION, formatKey));
  batch.put(epochKey, encodeNumber(epoch, epochKey));
  try {
    await batch.write({ sync: true });
  } catch (cause) {
    throw new QueueError("STORAGE_UNAVAILABLE", "the store cannot be written", { cause });
  }
  return epoch;
}

async function refuseStrangers(kv: Kv): Promise<void> {
  for await (const page of kv.scan({ gte: Buffer.from([0]), lt: Buffer.from([0xff]), limit: 1 })) {
    const key = page[0]?.[0].toString("hex");
    throw new QueueError("STORAGE_UNAVAILABLE", `the store has no format version, but it is not empty (key ${key})`);
  }
}

function refuseOtherVersions(version: number | "damaged"): void {
  if (version === FORMAT_VERSION) return;
  const found = version === "damaged" ? "cannot be read" : `is ${version}`;
  throw new QueueError(
    "STORAGE_UNAVAILABLE",
    `the store's format version ${found}; this server understands version ${FORMAT_VERSION}`,
  );
}
