import { describe, expect, test } from "vitest";
import { checkDecisions, checkDrawing, checkErrorCodes, checkPaths, checkQuotedTests } from "./documents.ts";
import type { TextFile } from "./text-file.ts";

const file = (path: string, text: string): TextFile => ({ path, text });

describe("paths in documents", () => {
  const there = ["packages/server/src/job/job.ts", "docs/tour.md", "README.md"];

  function complaints(text: string): string[] {
    return checkPaths([file("docs/tour.md", text)], there);
  }

  test("a path that exists passes, also a short one and a folder", () => {
    expect(
      complaints("See `packages/server/src/job/job.ts`, `job/job.ts`, `job.ts` and `packages/server/src/`."),
    ).toEqual([]);
  });

  test("a path that does not exist is named", () => {
    expect(complaints("See `job/gone.ts`.")).toEqual(["docs/tour.md: names job/gone.ts, which does not exist"]);
    expect(complaints("See `packages/attic/`.")).toHaveLength(1);
  });

  test("routes, flags, names and fenced code are not paths", () => {
    expect(complaints("`/jobs/take` `--root-dir` `millrace.serve` `a/b` `{root}/data`\n```\n`gone.ts`\n```\n")).toEqual(
      [],
    );
  });

  test("a link leads to a file, seen from the document", () => {
    expect(complaints("[home](../README.md) [web](https://example.org/x.md)")).toEqual([]);
    expect(complaints("[home](README.md)")).toHaveLength(1);
  });

  test("a link's anchor is a heading of its target", () => {
    expect(complaints("# The life of a job\n[up](#the-life-of-a-job)")).toEqual([]);
    expect(complaints("# The life of a job\n[up](#the-death-of-a-job)")).toHaveLength(1);
  });
});

test("a drawing that differs from its table is a complaint", () => {
  const shown = file("docs/a.md", "```\nhttp   → engine\nengine → store\n```\n");
  expect(checkDrawing([shown], "docs/a.md", "\n  http   → engine\n  engine → store\n")).toEqual([]);
  expect(checkDrawing([shown], "docs/a.md", "\n  http   → engine  store\n")).toHaveLength(1);
  expect(checkDrawing([], "docs/a.md", "http → engine")).toHaveLength(1);
});

test("a guarantee whose test is gone is a complaint", () => {
  const page = file("docs/g.md", '| it is so | `a.test.ts` | "proves it" |\n');
  expect(checkQuotedTests([page, file("a.test.ts", 'test("proves it", …')], "docs/g.md")).toEqual([]);
  expect(checkQuotedTests([page, file("a.test.ts", 'test("proves nothing", …')], "docs/g.md")).toHaveLength(1);
  expect(checkQuotedTests([page], "docs/g.md")).toHaveLength(1);
  expect(checkQuotedTests([], "docs/g.md")).toHaveLength(1);
});

describe("error codes", () => {
  const codes = { LOST: { http: 404, retry: false }, BUSY: { http: 503, retry: true } };
  const source = file(
    "packages/server/src/a.ts",
    'throw new QueueError("LOST", "…"); throw new QueueError("BUSY", "…");',
  );
  const lost = "| `LOST` | 404 | no | when | what |\n";
  const busy = "| `BUSY` | 503 | yes | when | what |\n";

  function complaints(table: string, sources: readonly TextFile[] = [source]): string[] {
    return checkErrorCodes([file("docs/errors.md", table), ...sources], codes);
  }

  test("a table that says what the list says passes", () => {
    expect(complaints(lost + busy)).toEqual([]);
  });

  test.each([
    ["a missing row", lost],
    ["a row too many", `${lost + busy}| \`MORE\` | 400 | no | when | what |\n`],
    ["a second row", lost + busy + busy],
    ["another status", lost + busy.replace("503", "500")],
    ["another retry column", lost + busy.replace("yes", "no")],
    ["a produced code that is marked as not yet", lost + busy.replace("when", "*Not produced yet.* when")],
  ])("%s is a complaint", (_name, table) => {
    expect(complaints(table)).toHaveLength(1);
  });

  test("a code that nothing produces must be marked", () => {
    expect(complaints(lost + busy, [file("packages/server/src/a.ts", '"LOST"')])).toHaveLength(1);
    expect(
      complaints(lost + busy, [file("packages/server/src/a.ts", '"LOST"'), file("packages/client/src/a.ts", '"BUSY"')]),
    ).toHaveLength(1);
  });
});

describe("decision records", () => {
  const text = "# 0001. One\n\nStatus: accepted\n\n## Context\n\n## Decision\n\n## Consequences\n";

  test("number, status and the three parts pass", () => {
    expect(checkDecisions([file("docs/decisions/0001-one.md", text)])).toEqual([]);
  });

  test.each([
    ["no number in the name", "docs/decisions/one.md", text],
    ["a gap in the numbers", "docs/decisions/0002-one.md", text.replace("0001", "0002")],
    ["another number in the title", "docs/decisions/0001-one.md", text.replace("0001", "0007")],
    ["no status", "docs/decisions/0001-one.md", text.replace("Status: accepted", "")],
    ["a missing part", "docs/decisions/0001-one.md", text.replace("## Context\n", "")],
  ])("%s is a complaint", (_name, path, body) => {
    expect(checkDecisions([file(path, body)]).length).toBeGreaterThan(0);
  });
});

test("an empty tree is a complaint, whatever is checked", () => {
  expect(checkPaths([], [])).toHaveLength(1);
  expect(checkErrorCodes([], { LOST: { http: 404, retry: false } })).toHaveLength(1);
  expect(checkDecisions([])).toHaveLength(1);
});
