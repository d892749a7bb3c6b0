/**
 * Jobs as the wire shows them, straight from the engine's objects to bytes. One encoder a format (`job-json.ts`, `job-msgpack.ts`)
 * writes what stands before a payload and what follows it; the payload's bytes are copied in between, transcoded only if they
 * are stored in the other format.
 *
 * Checklist for a new member of a job: its place in the order of http-api.md 6 and E0; both encoders; the member count of the
 * MessagePack map; `@millrace/protocol/job-view`.
 */
import type { TakeFraming } from "@millrace/protocol/take-stream";
import { jsonToMsgpack, msgpackToJson } from "../base/transcode.ts";
import type { TakeMessage } from "../engine/session.ts";
import type { Enqueued, JobSnapshot } from "../engine/verbs.ts";
import type { Job, Payload } from "../job/job.ts";
import { BytesBuilder } from "./byte-string.ts";
import { JobJson } from "./job-json.ts";
import { JobMsgpack } from "./job-msgpack.ts";
import type { JobWriter } from "./job-writer.ts";
import { packArrayHead, packMapHead, packString, u32 } from "./msgpack-bytes.ts";
import type { WireFormat } from "./negotiate.ts";

/** A guess, bytes: a job without its payload and with names of usual length. */
const JOB_BYTES_GUESS = 320;

export class JobEncoder {
  readonly #writers: { readonly json: JobWriter; readonly msgpack: JobWriter } = {
    json: new JobJson(),
    msgpack: new JobMsgpack(),
  };

  /** A job without its payload, as a byte string. */
  job(format: WireFormat, job: Job): string {
    return this.#writers[format].whole(job);
  }

  enqueued(format: WireFormat, enqueued: Enqueued): string {
    return this.#writers[format].whole(enqueued.job, enqueued);
  }

  /** `{jobs: […]}` of a bulk enqueue. */
  enqueuedMany(format: WireFormat, many: readonly Enqueued[]): string {
    const writer = this.#writers[format];
    let jobs = "";
    for (const one of many) jobs += (format === "json" && jobs !== "" ? "," : "") + writer.whole(one.job, one);
    if (format === "json") return `{"jobs":[${jobs}]}`;
    return packMapHead(1) + packString("jobs") + packArrayHead(many.length) + jobs;
  }

  snapshot(format: WireFormat, snapshot: JobSnapshot): Buffer {
    const builder = new BytesBuilder(JOB_BYTES_GUESS + snapshot.payload.bytes.length);
    this.#append(builder, format, snapshot.job, payloadIn(format, snapshot.payload));
    return builder.finish();
  }

  /**
   * `{jobs: […], pages}`.
   * @param pages the links, already in the format, as a byte string
   */
  page(format: WireFormat, snapshots: readonly JobSnapshot[], pages: string): Buffer {
    const builder = new BytesBuilder(sizeGuess(snapshots));
    const json = format === "json";
    builder.text(json ? '{"jobs":[' : packMapHead(2) + packString("jobs") + packArrayHead(snapshots.length));
    let first = true;
    for (const { job, payload } of snapshots) {
      if (json && !first) builder.text(",");
      first = false;
      this.#append(builder, format, job, payloadIn(format, payload));
    }
    builder.text(json ? `],"pages":${pages}}` : packString("pages") + pages);
    return builder.finish();
  }

  /** Messages of a take stream as one piece, each framed. */
  takeMessages(framing: TakeFraming, messages: readonly TakeMessage[]): Buffer {
    const builder = new BytesBuilder(sizeGuess(messages));
    if (framing === "msgpack") {
      const writer = this.#writers.msgpack;
      for (const { job, payload } of messages) {
        const bytes = payloadIn("msgpack", payload);
        const head = writer.head(job, true);
        const tail = writer.tail(job, true);
        builder.text(u32(head.length + bytes.length + tail.length) + head);
        builder.bytes(bytes);
        builder.text(tail);
      }
      return builder.finish();
    }
    const before = framing === "sse" ? "data: " : "";
    const after = framing === "sse" ? "\n\n" : "\n";
    const writer = this.#writers.json;
    for (const { job, payload } of messages) {
      builder.text(before + writer.head(job, true));
      builder.bytes(payloadIn("json", payload));
      builder.text(writer.tail(job, true) + after);
    }
    return builder.finish();
  }

  #append(builder: BytesBuilder, format: WireFormat, job: Job, payload: Buffer): void {
    const writer = this.#writers[format];
    builder.text(writer.head(job, false));
    builder.bytes(payload);
    builder.text(writer.tail(job, false));
  }
}

function payloadIn(format: WireFormat, payload: Payload): Buffer {
  if (payload.format === format) return payload.bytes;
  return format === "json" ? msgpackToJson(payload.bytes) : jsonToMsgpack(payload.bytes);
}

function sizeGuess(jobs: readonly { readonly payload: Payload }[]): number {
  let bytes = 64;
  for (const { payload } of jobs) bytes += JOB_BYTES_GUESS + payload.bytes.length;
  return bytes;
}
