import { describe, expect, test } from "vitest";
import { checkDeadFiles, checkLeftovers, checkLengths, checkNames, checkNoTestsInSource, LINES_MAX } from "./shape.ts";
import type { TextFile } from "./text-file.ts";

const file = (path: string, text = "export const x = 1;\n"): TextFile => ({ path, text });

describe("length", () => {
  test("a file of the greatest length passes, one line more does not", () => {
    expect(checkLengths([file("packages/a/src/a.ts", "x\n".repeat(LINES_MAX))])).toEqual([]);
    expect(checkLengths([file("packages/a/src/a.ts", "x\n".repeat(LINES_MAX + 1))])).toHaveLength(1);
  });

  test("tests, benchmarks and scripts count too", () => {
    const long = "x\n".repeat(LINES_MAX + 1);
    const files = ["packages/a/test/a.test.ts", "bench/run.mjs", "scripts/demo.mjs"].map((path) => file(path, long));
    expect(checkLengths(files)).toHaveLength(3);
  });
});

describe("names", () => {
  test.each(["packages/a/src/jobTable.ts", "packages/a/src/job_table.ts", "packages/a/src/JobTable/x.ts"])(
    "%s is not kebab-case",
    (path) => {
      expect(checkNames([file(path)])).toHaveLength(1);
    },
  );

  test.each(["util.ts", "string-utils.ts", "helpers/x.ts", "common.ts", "types.ts", "session-manager.ts"])(
    "%s says nothing",
    (path) => {
      expect(checkNames([file(`packages/a/src/${path}`)])).toHaveLength(1);
    },
  );

  test("a plain noun passes, also of a test and of a configuration", () => {
    const paths = ["packages/a/src/job-table.ts", "packages/a/test/job-table.test.ts", "packages/a/vitest.config.ts"];
    expect(checkNames(paths.map((path) => file(path)))).toEqual([]);
  });
});

describe("leftovers", () => {
  test.each([
    `// TO${"DO"}: later`,
    `// FIX${"ME"} soon`,
    `describe.on${"ly"}("x", () => {});`,
    `test.sk${"ip"}("x", () => {});`,
    `it.to${"do"}("x");`,
    `  debug${"ger"};`,
  ])("%s is found", (line) => {
    expect(checkLeftovers([file("packages/a/src/a.ts", `const x = 1;\n${line}\n`)])).toHaveLength(1);
    expect(checkLeftovers([file("packages/a/src/a.ts", `const x = 1;\n${line}\n`)])[0]).toContain(
      "packages/a/src/a.ts:2",
    );
  });

  test("a test that is skipped for a reason given in code passes", () => {
    expect(checkLeftovers([file("packages/a/test/a.test.ts", 'test.skipIf(!linux)("x", () => {});')])).toEqual([]);
  });
});

describe("dead files", () => {
  const manifest = file("packages/a/package.json", '{"exports":{".":{"millrace-source": "./src/front.ts"}}}');

  test("a file that nobody imports is dead", () => {
    const files = [manifest, file("packages/a/src/front.ts"), file("packages/a/src/lost.ts")];
    expect(checkDeadFiles(files)).toEqual(["packages/a/src/lost.ts: nothing imports it and no package exports it"]);
  });

  test("imported, exported by the package, loaded by a launcher: alive", () => {
    const files = [
      manifest,
      file("packages/a/src/front.ts", 'import { x } from "./part.ts";'),
      file("packages/a/src/part.ts"),
      file("packages/b/bin/b.js", 'import("../dist/main.js")'),
      file("packages/b/src/main.ts", 'import { y } from "@millrace/c/word";'),
      file("packages/c/src/word.ts"),
    ];
    expect(checkDeadFiles(files)).toEqual([]);
  });

  test("a file that only its own test imports is dead", () => {
    const files = [
      file("packages/a/src/lost.ts"),
      file("packages/a/test/lost.test.ts", 'import { x } from "../src/lost.ts";'),
    ];
    expect(checkDeadFiles(files)).toHaveLength(1);
  });
});

test("source that imports a test's module is a complaint", () => {
  expect(checkNoTestsInSource([file("packages/a/src/a.ts", 'import { x } from "../test/fixture.ts";')])).toHaveLength(
    1,
  );
  expect(checkNoTestsInSource([file("packages/a/src/a.ts", 'import { test } from "vitest";')])).toHaveLength(1);
  expect(checkNoTestsInSource([file("packages/a/src/a.ts", 'import { x } from "./attest.ts";')])).toEqual([]);
});

test("an empty tree is a complaint, whatever is checked", () => {
  for (const check of [checkLengths, checkNames, checkLeftovers, checkDeadFiles, checkNoTestsInSource]) {
    expect(check([])).toHaveLength(1);
  }
});
