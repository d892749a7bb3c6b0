import { parseJson } from "@millrace/protocol/json";
import { decodeMsgpack } from "@millrace/protocol/msgpack";
import { frameOf, heartbeatOf } from "@millrace/protocol/take-stream";
import { describe, expect, test } from "vitest";
import { codecOf, isStreamOf } from "../src/codec.ts";

const jobs = [
  { type: "a", payload: { n: 2n ** 64n - 1n, text: "ü🌊" } },
  { type: "b", payload: null },
];

function decoded(body: string | Uint8Array): unknown {
  return typeof body === "string" ? parseJson(body) : decodeMsgpack(body);
}

describe.each(["json", "msgpack"] as const)("%s", (format) => {
  const codec = codecOf(format);

  test("puts jobs that are encoded already into one bulk body", () => {
    expect(decoded(codec.bulk(jobs.map(codec.encode)))).toEqual({ jobs });
    expect(decoded(codec.bulk([]))).toEqual({ jobs: [] });
  });

  test("reads replies in its own format", () => {
    const body = Buffer.from(codec.encode({ count: 1 }));
    expect(codec.tryDecode({ contentType: codec.mediaType, body })).toEqual({ count: 1 });
    expect(codec.tryDecode({ contentType: codec.mediaType, body: body.subarray(0, 3) })).toBeUndefined();
    expect(codec.tryDecode({ contentType: "text/html", body })).toBeUndefined();
  });

  test("reads a stream of its own type, wherever it is cut", () => {
    const framing = format === "json" ? "ndjson" : "msgpack";
    const messages = jobs.map((job) => frameOf(framing, Buffer.from(codec.encode(job))));
    const bytes = Buffer.concat([heartbeatOf(framing), ...messages, heartbeatOf(framing)]);
    const decode = codec.streamDecoder();
    const found = [...bytes].flatMap((_, i) => decode(bytes.subarray(i, i + 1)));
    expect(found).toEqual(jobs);
    expect(codec.streamDecoder()(bytes)).toEqual(jobs);
    expect(isStreamOf(codec, codec.streamType)).toBe(true);
    expect(isStreamOf(codec, "text/event-stream")).toBe(false);
    expect(isStreamOf(codec, "text/html")).toBe(false);
  });
});

test("an error in JSON is understood whatever the format asked for", () => {
  const body = Buffer.from(JSON.stringify({ error: "no", code: "NOT_ACCEPTABLE" }));
  expect(codecOf("msgpack").tryDecode({ contentType: "application/json", body })).toEqual({
    error: "no",
    code: "NOT_ACCEPTABLE",
  });
});
