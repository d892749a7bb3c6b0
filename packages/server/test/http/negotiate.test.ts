import { describe, expect, it } from "vitest";
import { bodyFormat, replyFormat, takeContentType } from "../../src/http/negotiate.ts";

describe("the format of a reply", () => {
  it.each([
    [undefined, "json"],
    ["application/msgpack", "msgpack"],
    ["application/json, application/msgpack;q=0.1", "msgpack"],
    ["application/json", "json"],
    ["text/html, */*;q=0.8", "json"],
    ["text/html", undefined],
    ["application/*", undefined],
    ["application/xml", undefined],
    ["application/vnd.zizq.msgpack-stream", undefined],
    ["", undefined],
  ])("for Accept %j is %s", (accept, format) => {
    expect(replyFormat(accept)).toBe(format);
  });
});

describe("the format of a body", () => {
  it.each([
    [undefined, "json"],
    ["application/json; charset=utf-8", "json"],
    ["application/msgpack", "msgpack"],
  ])("for Content-Type %j is %s", (contentType, format) => {
    expect(bodyFormat(contentType)).toBe(format);
  });

  it.each(["text/plain", "application/x-msgpack", ""])("is refused for Content-Type %j", (contentType) => {
    expect(() => bodyFormat(contentType)).toThrow(
      expect.objectContaining({
        code: "UNSUPPORTED_MEDIA_TYPE",
        details: { supported: ["application/json", "application/msgpack"] },
      }),
    );
  });
});

describe("the type of a take stream", () => {
  it.each([
    ["application/json, text/event-stream", "text/event-stream"],
    ["application/vnd.zizq.msgpack-stream", "application/vnd.zizq.msgpack-stream"],
    ["application/json, application/msgpack", "application/vnd.zizq.msgpack-stream"],
    ["application/vnd.millrace.msgpack-stream", "application/vnd.millrace.msgpack-stream"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["application/json", "application/x-ndjson"],
    ["*/*", "application/x-ndjson"],
    [undefined, "application/x-ndjson"],
  ])("for Accept %j is %s", (accept, type) => {
    expect(takeContentType(accept)).toBe(type);
  });

  it.each(["text/html", "application/*", ""])("is refused for Accept %j", (accept) => {
    const supported = [
      "text/event-stream",
      "application/x-ndjson",
      "application/vnd.zizq.msgpack-stream",
      "application/vnd.millrace.msgpack-stream",
    ];
    expect(() => takeContentType(accept)).toThrow(
      expect.objectContaining({ code: "NOT_ACCEPTABLE", details: { supported } }),
    );
  });
});
