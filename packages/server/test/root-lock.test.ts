import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeRoot } from "../src/root-lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "millrace-root-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("makes a root and what is missing above it, closed to other users, and leaves one that is there alone", () => {
  const root = join(directory, "a", "b");
  makeRoot(root);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  makeRoot(root);
});

it("says at once that a root cannot be made, where Node's own recursion never ends", () => {
  expect(() => makeRoot("/proc/millrace-root")).toThrow(/ENOENT|EACCES|EPERM/);
});

it("says that a file stands in the way", () => {
  writeFileSync(join(directory, "file"), "");
  expect(() => makeRoot(join(directory, "file", "root"))).toThrow(/ENOTDIR/);
});
