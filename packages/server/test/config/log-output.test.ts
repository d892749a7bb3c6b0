import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Logger } from "../../src/base/logger.ts";
import { type LogFormat, type LogLevel, openLogger } from "../../src/log-output.ts";

let written: string[] = [];

beforeEach(() => {
  written = [];
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 5, 10, 0, 0, 123), toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

function log(format: LogFormat, options: { level?: LogLevel; colours?: boolean } = {}): Logger {
  const { level = "info", colours = false } = options;
  return openLogger({ format, level, colours, stream: { write: (text) => written.push(text) } });
}

const listening = { api: "primary", addr: "127.0.0.1:41873", scheme: "http" };

describe("a line in JSON", () => {
  test("has the bytes of the specification", () => {
    log("json").for("millrace.serve").info("listening", listening);
    expect(written).toEqual([
      '{"timestamp":"2026-01-05T10:00:00.123Z","level":"INFO","target":"millrace.serve",' +
        '"fields":{"message":"listening","api":"primary","addr":"127.0.0.1:41873","scheme":"http"}}\n',
    ]);
  });

  test("leaves out what is undefined and keeps what is odd", () => {
    log("json").error("a\nb", { gone: undefined, none: 0, off: false, text: '"api":"primary"' });
    expect(written.join("")).not.toContain('"api":"primary"');
    expect(written.join("").trimEnd()).not.toContain("\n");
    expect(JSON.parse(written.join(""))).toEqual({
      timestamp: "2026-01-05T10:00:00.123Z",
      level: "ERROR",
      target: "millrace",
      fields: { message: "a\nb", none: 0, off: false, text: '"api":"primary"' },
    });
  });
});

describe("a line for people", () => {
  test("is compact", () => {
    log("compact").for("millrace.serve").info("listening", listening);
    expect(written).toEqual([
      "2026-01-05T10:00:00.123Z INFO  millrace.serve: listening api=primary addr=127.0.0.1:41873 scheme=http\n",
    ]);
  });

  test("or pretty, with colours only where they are welcome", () => {
    log("pretty").for("millrace.serve").warn("port taken", { port: 1 });
    expect(written).toEqual(["10:00:00.123 WARN  port taken port=1  millrace.serve\n"]);
    log("pretty", { colours: true }).warn("x");
    expect(written[1]).toContain("\u001b[33mWARN \u001b[0m");
  });

  test.each(["compact", "pretty"] as const)("cannot be broken, forged or coloured by a value (%s)", (format) => {
    log(format).info("said\u001b[2J", { path: "/a b\r\n2026 INFO forged\u202e", word: 'a"b', empty: "" });
    const [line = ""] = written;
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line).toContain("said\\u{1b}[2J");
    expect(line).toContain('path="/a b\\r\\n2026 INFO forged\\u{202e}" word="a\\"b" empty=""');
  });
});

test("a level silences what is below it", () => {
  for (const level of ["debug", "info", "warn", "error"] as const) {
    written = [];
    const logger = log("json", { level });
    logger.debug("debug");
    logger.info("info");
    logger.warn("warn");
    logger.error("error");
    expect(written.map((line) => JSON.parse(line).fields.message)).toEqual(
      ["debug", "info", "warn", "error"].slice(["debug", "info", "warn", "error"].indexOf(level)),
    );
  }
});
