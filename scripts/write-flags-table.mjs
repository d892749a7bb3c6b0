/** Writes the table of flags into docs/operations.md, from the built server. A test fails when it was forgotten. */
import { readFile, writeFile } from "node:fs/promises";
import { flagsTable } from "../packages/server/dist/serve-help.js";

const page = new URL("../docs/operations.md", import.meta.url);
const text = await readFile(page, "utf8");
await writeFile(
  page,
  text.replace(/(^<!-- flags: .*-->$)[\s\S]*?(^<!-- end of flags -->$)/m, `$1\n\n${flagsTable()}\n\n$2`),
);
