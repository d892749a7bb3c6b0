import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { flagsTable } from "../src/serve-help.ts";

test("docs/operations.md shows the flags as the server has them", async () => {
  const page = await readFile(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  expect(page, "run: npm run build && node scripts/write-flags-table.mjs").toContain(`\n${flagsTable()}\n`);
});
