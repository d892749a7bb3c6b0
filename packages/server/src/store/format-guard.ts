/**
 * The first thing read and written of a store: is this ours, can this build read it, which life is this, and may the last one
 * have lost writes that were not synced? Only a power cut takes such writes: not an orderly end, which leaves a mark, and not a
 * crash of the process, which leaves the machine in the same boot.
 *
 * The writer epoch grows with every start, and is synced before anything else is written: delivery tokens that begin with it
 * can never repeat, though claims are not synced and the clock may step back.
 */
import { QueueError } from "@millrace/protocol/errors";
import type { Instant } from "@millrace/protocol/ids";
import type { Kv, KvBatch } from "../kv/kv.ts";
import { metaKey } from "./keyspace.ts";
import type { Quarantine } from "./quarantine.ts";
import { decodeFormat, decodeMark, decodeNumber, encodeFormat, encodeMark, encodeNumber } from "./small-records.ts";

/** Raised by any change after which an older server would misread the store. */
const FORMAT_VERSION = 1;

/** What a life knows of the ones before. */
export interface Beginning {
  /** The stored one plus 1, but not less than the time in seconds. */
  readonly epoch: number;
  /** Whether unsynced writes of the last life may be missing, even ones older than others that are there. */
  readonly mayHaveLostWrites: boolean;
}

/** An orderly end; a boot is never called so. */
const CLEAN = "clean";
/** Neither an orderly end nor a boot. */
const DOUBT = "";

/**
 * Begins a life on a store; a fresh one becomes ours.
 * @param boot names the machine's boot; undefined = not known, and then every disorderly end counts as a power cut
 * @throws QueueError STORAGE_UNAVAILABLE when the store is of another format version, or not ours, or cannot be written
 */
export async function beginLife(
  kv: Kv,
  quarantine: Quarantine,
  now: Instant,
  boot: string | undefined,
): Promise<Beginning> {
  const formatKey = metaKey("format");
  const epochKey = metaKey("epoch");
  const markKey = metaKey("mark");
  const format = kv.get(formatKey);
  if (format === undefined) await refuseStrangers(kv);
  else refuseOtherVersions(decodeFormat(format, formatKey));
  const record = kv.get(epochKey);
  const stored = record === undefined ? undefined : quarantine.admit(epochKey, decodeNumber(record, epochKey));
  const epoch = Math.max((stored ?? 0) + 1, Math.floor(now / 1000));
  const markRecord = kv.get(markKey);
  const mark = markRecord === undefined ? undefined : quarantine.admit(markKey, decodeMark(markRecord, markKey))?.text;
  const isSafe = format === undefined || mark === CLEAN || (boot !== undefined && mark === boot);
  await writeSynced(kv, (batch) => {
    if (format === undefined) batch.put(formatKey, encodeFormat(FORMAT_VERSION, formatKey));
    batch.put(epochKey, encodeNumber(epoch, epochKey));
    // Whoever ends before what was lost is put right leaves the same doubt to the next life.
    batch.put(markKey, encodeMark(isSafe ? (boot ?? DOUBT) : DOUBT, markKey));
  });
  return { epoch, mayHaveLostWrites: !isSafe };
}

/** What lost writes left behind was put right, once the batch is written. */
export function markRepaired(batch: KvBatch, boot: string | undefined): void {
  const markKey = metaKey("mark");
  batch.put(markKey, encodeMark(boot ?? DOUBT, markKey));
}

/** Ends a life in order, after its last write. */
export async function markClean(kv: Kv): Promise<void> {
  const markKey = metaKey("mark");
  await writeSynced(kv, (batch) => batch.put(markKey, encodeMark(CLEAN, markKey)));
}

async function writeSynced(kv: Kv, fill: (batch: KvBatch) => void): Promise<void> {
  const batch = kv.batch();
  fill(batch);
  try {
    await batch.write({ sync: true });
  } catch (cause) {
    throw new QueueError("STORAGE_UNAVAILABLE", "the store cannot be written", { cause });
  }
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
