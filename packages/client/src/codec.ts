/** The two formats of the wire, as the client needs them. */
import type { JobView } from "@millrace/protocol/job-view";
import { parseJson, stringifyJson } from "@millrace/protocol/json";
import { decodeMsgpack, encodeMsgpack } from "@millrace/protocol/msgpack";
import { takeDecoder } from "@millrace/protocol/take-decoder";
import { framingOf } from "@millrace/protocol/take-stream";

export type Format = "json" | "msgpack";

/** A body, ready to be sent. */
export type Encoded = string | Uint8Array;

export interface Codec {
  /** Of bodies, both ways. */
  readonly mediaType: string;
  /** Of take streams. */
  readonly streamType: string;
  /** INVALID_FIELD for what the wire cannot hold. */
  encode(value: unknown): Encoded;
  /** For what this library made itself, of texts and numbers: the same without the checks. */
  encodeOwn(value: unknown): Encoded;
  /** The body of a bulk enqueue, of jobs that are encoded already. */
  bulk(jobs: readonly Encoded[]): Encoded;
  /** The value of a body in either format; undefined when it is neither, or is broken. */
  tryDecode(reply: { readonly contentType: string; readonly body: Uint8Array }): unknown;
  /** For one stream: chunks in, messages out. It throws MALFORMED_BODY for bytes that are no such stream. */
  streamDecoder(): (chunk: Uint8Array) => JobView[];
}

/** A payload may be as large as a server's flags allow; beyond this a message is taken for nonsense. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;

export function codecOf(format: Format): Codec {
  return format === "json" ? jsonCodec : msgpackCodec;
}

const jsonCodec: Codec = {
  mediaType: "application/json",
  streamType: "application/x-ndjson",
  encode: stringifyJson,
  encodeOwn: (value) => JSON.stringify(value),
  bulk: (jobs) => `{"jobs":[${jobs.join(",")}]}`,
  tryDecode,
  streamDecoder() {
    const decoder = takeDecoder("ndjson", MESSAGE_BYTES_MAX);
    return (chunk) => decoder.push(chunk).map((message) => parseJson(message) as JobView);
  },
};

/** A map of one member, `jobs`, an array whose length follows in four bytes. */
const BULK_HEAD = Uint8Array.of(0x81, 0xa4, 0x6a, 0x6f, 0x62, 0x73, 0xdd);

const msgpackCodec: Codec = {
  mediaType: "application/msgpack",
  streamType: "application/vnd.millrace.msgpack-stream",
  encode: encodeMsgpack,
  encodeOwn: encodeMsgpack,
  bulk(jobs) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(jobs.length);
    const bytes = jobs.map((job) => (typeof job === "string" ? Buffer.from(job) : job));
    return Buffer.concat([BULK_HEAD, count, ...bytes]);
  },
  tryDecode,
  streamDecoder() {
    const decoder = takeDecoder("msgpack", MESSAGE_BYTES_MAX);
    return (chunk) => decoder.push(chunk).map((message) => decodeMsgpack(message) as JobView);
  },
};

function tryDecode({ contentType, body }: { readonly contentType: string; readonly body: Uint8Array }): unknown {
  try {
    if (contentType.includes("application/json")) return parseJson(body);
    if (contentType.includes("application/msgpack")) return decodeMsgpack(body);
  } catch {
    // Broken, or cut: as good as no body.
  }
  return undefined;
}

/** Whether a stream's content type has the framing that the codec decodes. */
export function isStreamOf(codec: Codec, contentType: string): boolean {
  return framingOf(contentType) !== undefined && framingOf(contentType) === framingOf(codec.streamType);
}
