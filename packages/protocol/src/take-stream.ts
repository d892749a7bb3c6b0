/**
 * The take stream's three framings. A message is one job, already encoded (JSON without line breaks, or one MessagePack
 * map); there is no envelope. A heartbeat is a frame that holds nothing.
 *
 *   framing   job                                          heartbeat
 *   sse       data: {json} LF LF                           : heartbeat LF LF
 *   ndjson    {json} LF                                    LF
 *   msgpack   length as u32 big-endian, then the message   00 00 00 00
 */

/** How messages are told apart. */
export type TakeFraming = "sse" | "ndjson" | "msgpack";

/** The content types of a take stream, each written exactly so: clients choose the framing by it. */
export const takeContentTypes = {
  "text/event-stream": "sse",
  "application/x-ndjson": "ndjson",
  "application/vnd.zizq.msgpack-stream": "msgpack",
  "application/vnd.millrace.msgpack-stream": "msgpack",
} as const satisfies Record<string, TakeFraming>;

export type TakeContentType = keyof typeof takeContentTypes;

/** What stands around a message, and the heartbeat. */
interface Frame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly heartbeat: Uint8Array;
}

const text = new TextEncoder();
const LENGTH_BYTES = 4;

const frames: Readonly<Record<TakeFraming, Frame>> = {
  sse: { head: text.encode("data: "), tail: text.encode("\n\n"), heartbeat: text.encode(": heartbeat\n\n") },
  ndjson: { head: new Uint8Array(0), tail: text.encode("\n"), heartbeat: text.encode("\n") },
  // The head is the length, written over these zeros.
  msgpack: { head: new Uint8Array(LENGTH_BYTES), tail: new Uint8Array(0), heartbeat: new Uint8Array(LENGTH_BYTES) },
};

/** Substrings of an Accept header and the type they choose; the first row that is found decides, q-values are ignored. */
const acceptRules: readonly (readonly [accepted: string, type: TakeContentType])[] = [
  ["text/event-stream", "text/event-stream"],
  ["application/vnd.zizq.msgpack-stream", "application/vnd.zizq.msgpack-stream"],
  ["application/msgpack", "application/vnd.zizq.msgpack-stream"],
  ["application/vnd.millrace.msgpack-stream", "application/vnd.millrace.msgpack-stream"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/json", "application/x-ndjson"],
  ["*/*", "application/x-ndjson"],
];

/** The content type for an Accept header; undefined = not acceptable. No header (undefined) is newline-delimited JSON. */
export function negotiateTake(accept: string | undefined): TakeContentType | undefined {
  if (accept === undefined) return "application/x-ndjson";
  return acceptRules.find(([accepted]) => accept.includes(accepted))?.[1];
}

/** The framing of a response's content type, parameters ignored; undefined = no take stream. */
export function framingOf(contentType: string): TakeFraming | undefined {
  const [type = ""] = contentType.split(";");
  const known: Readonly<Record<string, TakeFraming>> = takeContentTypes;
  const name = type.trim().toLowerCase();
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

/** The frame that holds nothing. */
export function heartbeatOf(framing: TakeFraming): Uint8Array {
  return frames[framing].heartbeat;
}

/** One message in its frame. */
export function frameOf(framing: TakeFraming, message: Uint8Array): Uint8Array {
  const { head, tail } = frames[framing];
  const frame = new Uint8Array(head.length + message.length + tail.length);
  frame.set(head);
  if (framing === "msgpack") new DataView(frame.buffer).setUint32(0, message.length);
  frame.set(message, head.length);
  frame.set(tail, head.length + message.length);
  return frame;
}
