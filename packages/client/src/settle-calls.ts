/** The three calls that settle deliveries, for the client (which repeats them a few times) and the worker (until answered). */
import { QueueError } from "@millrace/protocol/errors";
import { callTo } from "./call-to.ts";
import type { Codec } from "./codec.ts";
import type { Call } from "./connection.ts";
import type { Ack, Failure, JobInfo, SettleReport } from "./job.ts";
import { type ReplyReader, readJob, readNothing } from "./replies.ts";
import { fromJobView, toAckBody, toFailureBody } from "./wire-names.ts";

export type Send = <Reply>(call: Call, read: ReplyReader<Reply>) => Promise<Reply>;

export async function sendSuccess(send: Send, codec: Codec, ack: Ack): Promise<void> {
  const { id, delivery } = ack;
  await send(
    callTo("succeed", { id }, delivery === undefined ? {} : { body: codec.encodeOwn({ delivery }) }),
    readNothing,
  );
}

/** That some could not be settled is an answer, not an error: the others are. */
export async function sendAcks(send: Send, codec: Codec, acks: readonly Ack[]): Promise<SettleReport> {
  try {
    await send(callTo("succeedBulk", {}, { body: codec.encodeOwn({ acks: acks.map(toAckBody) }) }), readNothing);
    return { notFound: [], stale: [] };
  } catch (cause) {
    if (!(cause instanceof QueueError) || cause.code !== "SOME_NOT_IN_FLIGHT") throw cause;
    return { notFound: cause.details.not_found ?? [], stale: cause.details.stale ?? [] };
  }
}

/** The job in its new state. */
export async function sendFailure(send: Send, codec: Codec, ack: Ack, failure: Failure): Promise<JobInfo> {
  const body = codec.encode(toFailureBody(failure, ack.delivery));
  return fromJobView(await send(callTo("fail", { id: ack.id }, { body }), readJob));
}
