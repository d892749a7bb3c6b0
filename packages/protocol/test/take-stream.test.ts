import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { takeDecoder } from "../src/take-decoder.ts";
import { frameOf, framingOf, heartbeatOf, negotiateTake } from "../src/take-stream.ts";

const framings = ["sse", "ndjson", "msgpack"] as const;
const bytesMax = 1000;

describe.each(framings)("a %s stream", (framing) => {
  const message = fc
    .uint8Array({ minLength: 1, maxLength: 60 })
    // JSON is one line without control characters; MessagePack is any bytes.
    .map((bytes) => (framing === "msgpack" ? bytes : Uint8Array.from(bytes, (byte) => 0x20 + (byte % 0x5f))));
  const frames = fc.array(fc.option(message, { nil: undefined }), { maxLength: 30 });
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 40 }));

  test("gives every message and skips every heartbeat, wherever it is cut", () => {
    fc.assert(
      fc.property(frames, cuts, (sent, sizes) => {
        const stream = Buffer.concat(sent.map((each) => (each ? frameOf(framing, each) : heartbeatOf(framing))));
        const decoder = takeDecoder(framing, bytesMax);
        const received: Uint8Array[] = [];
        for (let at = 0; at < stream.length; ) {
          const size = sizes.next().value ?? 1;
          received.push(...decoder.push(Uint8Array.from(stream.subarray(at, at + size))));
          at += size;
        }
        decoder.end();
        const expected = sent.filter((each) => each !== undefined);
        expect(received.map((each) => Buffer.from(each).toString("hex"))).toEqual(
          expected.map((each) => Buffer.from(each).toString("hex")),
        );
      }),
    );
  });

  test("carries a message of the longest length and refuses a longer one", () => {
    const longest = new Uint8Array(bytesMax).fill(0x41);
    const [received] = takeDecoder(framing, bytesMax).push(frameOf(framing, longest));
    expect(received).toEqual(longest);
    const tooLong = frameOf(framing, new Uint8Array(bytesMax + 10).fill(0x41));
    expect(() => takeDecoder(framing, bytesMax).push(tooLong)).toThrowError(
      expect.objectContaining({ code: "MALFORMED_BODY", message: expect.stringContaining("1000 bytes") }),
    );
  });

  test("refuses a longer message before its end has come", () => {
    const decoder = takeDecoder(framing, bytesMax);
    const start = frameOf(framing, new Uint8Array(100_000).fill(0x41)).subarray(0, 3000);
    const pushAll = () => {
      for (const byte of start) decoder.push(Uint8Array.of(byte));
    };
    expect(pushAll).toThrowError(expect.objectContaining({ code: "MALFORMED_BODY" }));
  });

  test("that ends within a message is refused", () => {
    const decoder = takeDecoder(framing, bytesMax);
    const frame = frameOf(framing, new Uint8Array(20).fill(0x41));
    expect(decoder.push(frame.subarray(0, 15))).toEqual([]);
    expect(() => decoder.end()).toThrowError(expect.objectContaining({ code: "MALFORMED_BODY" }));
  });
});

test("the framings are those of the contract", () => {
  const json = new TextEncoder().encode("{}");
  const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  expect(textOf(frameOf("sse", json))).toBe("data: {}\n\n");
  expect(textOf(heartbeatOf("sse"))).toBe(": heartbeat\n\n");
  expect(textOf(frameOf("ndjson", json))).toBe("{}\n");
  expect(textOf(heartbeatOf("ndjson"))).toBe("\n");
  expect([...frameOf("msgpack", Uint8Array.of(0x80))]).toEqual([0, 0, 0, 1, 0x80]);
  expect([...heartbeatOf("msgpack")]).toEqual([0, 0, 0, 0]);
});

test("server-sent events are read in the forms that the standard allows", () => {
  const stream = 'retry: 5\r\ndata:{"a":\r\ndata: 1}\r\n: comment\r\nid\r\n\r\ndatabase: no\n\ndata: 2\n\n';
  const messages = takeDecoder("sse", bytesMax).push(Buffer.from(stream));
  expect(messages.map((each) => Buffer.from(each).toString())).toEqual(['{"a":\n1}', "2"]);
});

test.each([
  [undefined, "application/x-ndjson"],
  ["*/*", "application/x-ndjson"],
  ["application/json", "application/x-ndjson"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/json, text/event-stream;q=0.1", "text/event-stream"],
  ["application/msgpack", "application/vnd.zizq.msgpack-stream"],
  ["application/vnd.zizq.msgpack-stream", "application/vnd.zizq.msgpack-stream"],
  ["application/x-ndjson, application/msgpack", "application/vnd.zizq.msgpack-stream"],
  ["application/vnd.millrace.msgpack-stream, */*", "application/vnd.millrace.msgpack-stream"],
  ["application/vnd.millrace.msgpack-stream, application/msgpack", "application/vnd.zizq.msgpack-stream"],
  ["", undefined],
  ["text/html", undefined],
  ["application/*", undefined],
])("Accept %j chooses %s", (accept, type) => {
  expect(negotiateTake(accept)).toBe(type);
});

test.each([
  ["text/event-stream", "sse"],
  ["application/x-ndjson; charset=utf-8", "ndjson"],
  ["application/vnd.zizq.msgpack-stream", "msgpack"],
  ["Application/vnd.Millrace.msgpack-stream", "msgpack"],
  ["application/json", undefined],
  ["constructor", undefined],
])("a response of type %s is framed as %s", (type, framing) => {
  expect(framingOf(type)).toBe(framing);
});
