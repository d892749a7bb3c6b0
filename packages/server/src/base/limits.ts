import { invariant } from "./assert.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Every bound has its name here (R6). What an operator may change is here as its default. The relations between bounds are
 * asserted below: each protects a guarantee that the two files which use the bounds could not see alone.
 */
export const limits = {
  /** Body of a request. */
  bodyBytesMax: 16 * MiB,
  /** Payload of one job, encoded as JSON. */
  payloadBytesMax: 1 * MiB,
  /** Members of a bulk enqueue or a bulk success. */
  bulkItemsMax: 100_000,
  /** Arrays and objects within each other, counted from the top of the body. */
  nestingMax: 512,
  /** Rows of a page. */
  listLimitMax: 2_000,
  listLimitDefault: 50,
  /** Payloads on a page; it ends with the row that reaches this. */
  pageBytesMax: 16 * MiB,
  /** Request target and headers together: the default, and the least an operator may set. */
  headerBytesMax: 128 * KiB,
  headerBytesMin: 64 * KiB,
  /** Texts of a failure; longer ones are cut. */
  errorMessageBytesMax: 64 * KiB,
  errorTypeBytesMax: 1 * KiB,
  backtraceBytesMax: 256 * KiB,
  /** Error records of one job; beyond it the middle ones are dropped. */
  errorRecordsMax: 1_000,
  /** A payload up to this size is stored inside its job's record. */
  inlinePayloadBytesMax: 1 * KiB,
  /** How long a request waits for the rebuild of memory after a start, before it is refused with NOT_READY. */
  readyWaitMs: 10_000,
  /** Requests that wait for it at once, and jobs enqueued meanwhile; beyond, NOT_READY is said at once. */
  readyWaitersMax: 10_000,
  enqueuedMeanwhileMax: 1_000_000,
  /** Finished jobs deleted in one pass. */
  janitorPassMax: 1_000,
  /** Due jobs made ready in one pass. */
  schedulerPassMax: 200,
  /** How far the clock may step back while ids keep counting from their last time; a larger step starts them anew. */
  clockStepBackMsMax: 10_000,
} as const;

/** An id in a query: 25 characters and an encoded comma. */
const idInQueryBytes = 25 + 3;

invariant(limits.payloadBytesMax <= limits.bodyBytesMax, "the largest payload must fit into a request");
invariant(
  limits.errorMessageBytesMax + limits.errorTypeBytesMax + limits.backtraceBytesMax <= limits.bodyBytesMax,
  "the longest failure must fit into a request",
);
invariant(limits.inlinePayloadBytesMax <= limits.payloadBytesMax, "an inline payload must be a legal one");
invariant(limits.headerBytesMin <= limits.headerBytesMax, "the default for headers must be one that can be set");
invariant(
  limits.listLimitMax * idInQueryBytes < limits.headerBytesMin,
  "clients name a whole page of ids in one URL, so the least header limit must hold it",
);
invariant(limits.listLimitDefault <= limits.listLimitMax, "the default page must be a legal one");
invariant(limits.errorRecordsMax <= limits.listLimitMax, "all errors of a job must fit one page");
invariant(limits.bodyBytesMax < 2 ** 31, "offsets into a body must be small integers");
