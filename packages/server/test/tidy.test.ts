/** The house rules as a test. What each check sees is shown with planted faults in tidy/*.test.ts. */
import { fileURLToPath } from "node:url";
import { errorCodes } from "@millrace/protocol/errors";
import { describe, expect, test } from "vitest";
import { checkArrows, packageDrawing, serverDrawing } from "./tidy/arrows.ts";
import { checkDecisions, checkDrawing, checkErrorCodes, checkPaths, checkQuotedTests } from "./tidy/documents.ts";
import { checkDeadFiles, checkLeftovers, checkLengths, checkNames, checkNoTestsInSource } from "./tidy/shape.ts";
import { listTree, readTexts } from "./tidy/text-file.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const paths = listTree(root);
const tree = readTexts(root, paths);

describe("the repository is tidy", () => {
  test("imports follow the arrows", () => expect(checkArrows(tree)).toEqual([]));
  test("the arrows are drawn as they are kept", () => {
    for (const drawing of [serverDrawing, packageDrawing]) {
      expect(checkDrawing(tree, "docs/architecture.md", drawing)).toEqual([]);
    }
  });
  test("no file is longer than one idea", () => expect(checkLengths(tree)).toEqual([]));
  test("names are in kebab-case and say something", () => expect(checkNames(tree)).toEqual([]));
  test("nothing was left behind", () => expect(checkLeftovers(tree)).toEqual([]));
  test("every source file is needed", () => expect(checkDeadFiles(tree)).toEqual([]));
  test("source does not lean on tests", () => expect(checkNoTestsInSource(tree)).toEqual([]));
  test("every path that the documents name exists", () => expect(checkPaths(tree, paths)).toEqual([]));
  test("every error code is documented as it is", () => expect(checkErrorCodes(tree, errorCodes)).toEqual([]));
  test("every guarantee names a test that exists", () =>
    expect(checkQuotedTests(tree, "docs/guarantees.md")).toEqual([]));
  test("every decision has a number, a status and its parts", () => expect(checkDecisions(tree)).toEqual([]));
});
