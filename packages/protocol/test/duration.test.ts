import { expect, test } from "vitest";
import { parseDuration, parseSize } from "../src/duration.ts";
import { QueueError } from "../src/errors.ts";

test.each([
  ["0", 0],
  ["1500", 1500],
  ["500ms", 500],
  ["90s", 90_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
  ["1w", 604_800_000],
  ["2h 30m", 9_000_000],
  ["2h30m", 9_000_000],
  ["  1d  12h ", 129_600_000],
  ["1.5h", 5_400_000],
  ["1.1s", 1100],
  ["0.001s", 1],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
])("the duration %s is %i milliseconds", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  "",
  " ",
  "s",
  "5 parsecs",
  "-1s",
  "1.5",
  "1.5ms",
  "1e3",
  "5s,",
  "5S",
  "1h 30",
  "9007199254740992",
  "1..5s",
  "constructor",
])("the duration %j is refused with a text that says how to write it", (text) => {
  expect(() => parseDuration(text)).toThrowError(
    expect.objectContaining({ code: "INVALID_FIELD", message: expect.stringContaining("90s") }),
  );
});

test.each([
  ["0", 0],
  ["65536", 65_536],
  ["12B", 12],
  ["1kB", 1000],
  ["256MB", 256_000_000],
  ["64KiB", 65_536],
  ["16MiB", 16_777_216],
  ["16 mib", 16_777_216],
  ["1.5GiB", 1_610_612_736],
  ["2TB", 2_000_000_000_000],
  ["1MB 2kB", 1_002_000],
])("the size %s is %i bytes", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(["", "MB", "1M", "-1", "1.5", "0.3B", "1 PB", "1MB 2", "9e15"])("the size %j is refused", (text) => {
  expect(() => parseSize(text)).toThrowError(QueueError);
});
