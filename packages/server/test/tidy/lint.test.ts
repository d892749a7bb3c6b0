/**
 * Shows that the linter sees what we rely on it to see: each fault is planted in a small tree that is linted with the
 * repository's own biome.json. A rule that is renamed, moved or switched off by accident makes its test fail.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const biome = join(root, "node_modules/@biomejs/biome/bin/biome");

const job = "packages/server/src/job";
const engine = "packages/server/src/engine";
const promise = "async function work(): Promise<number> {\n  return 1;\n}\n";

/** Rule, file, text. Files of different rows do not import each other unless the rule is about that. */
const faults: readonly (readonly [rule: string, path: string, text: string])[] = [
  ["complexity/noExcessiveLinesPerFunction", `${job}/long.ts`, `export function f() {\n${"  f();\n".repeat(71)}}\n`],
  ["style/noExcessiveLinesPerFile", `${job}/tall.ts`, "export const x = [\n".concat("  1,\n".repeat(300), "];\n")],
  ["style/noDefaultExport", `${job}/unnamed.ts`, "export default 1;\n"],
  ["performance/noBarrelFile", `${job}/barrel.ts`, 'export { e } from "./named.ts";\n'],
  ["performance/noReExportAll", `${job}/all.ts`, 'export * from "./named.ts";\n'],
  ["suspicious/noExplicitAny", `${job}/loose.ts`, "export const x: any = 1;\n"],
  ["style/noEnum", `${job}/named.ts`, "export enum e {\n  A,\n}\n"],
  ["style/noNonNullAssertion", `${job}/sure.ts`, "export const f = (x?: string) => x!.length;\n"],
  ["style/noParameterProperties", `${job}/brief.ts`, "export class C {\n  constructor(readonly x: number) {}\n}\n"],
  ["style/useFilenamingConvention", `${job}/camelCase.ts`, "export const x = 1;\n"],
  ["suspicious/noImportCycles", `${job}/hen.ts`, 'import type { Egg } from "./egg.ts";\nexport type Hen = Egg;\n'],
  ["suspicious/noImportCycles", `${job}/egg.ts`, 'import type { Hen } from "./hen.ts";\nexport type Egg = Hen;\n'],
  [
    "suspicious/noImportCycles",
    `${engine}/up.ts`,
    'import { down } from "./down.ts";\nexport const up = () => down;\n',
  ],
  ["suspicious/noImportCycles", `${engine}/down.ts`, 'import { up } from "./up.ts";\nexport const down = () => up;\n'],
  ["style/noRestrictedGlobals", `${job}/date.ts`, "export const x = Date.now();\n"],
  ["style/noRestrictedGlobals", `${job}/timer.ts`, "export const x = setTimeout(() => 1, 1);\n"],
  ["style/noRestrictedGlobals", `${job}/ticker.ts`, "export const x = setInterval(() => 1, 1);\n"],
  ["style/noRestrictedGlobals", `${job}/soon.ts`, "export const x = setImmediate(() => 1);\n"],
  ["style/noRestrictedGlobals", `${job}/crypto.ts`, "export const x = crypto.randomUUID();\n"],
  ["style/noRestrictedImports", `${job}/sleep.ts`, 'export { setTimeout as s } from "node:timers/promises";\n'],
  ["style/noRestrictedImports", `${job}/dice.ts`, 'export { randomInt } from "node:crypto";\n'],
  ["nursery/noJsRestrictedProperties", `${job}/chance.ts`, "export const x = Math.random();\n"],
  ["nursery/noFloatingPromises", `${job}/floating.ts`, `${promise}export function f() {\n  work();\n}\n`],
  ["nursery/noMisusedPromises", `${job}/misused.ts`, `${promise}export function f() {\n  if (work()) f();\n}\n`],
  [
    "nursery/useExhaustiveSwitchCases",
    `${job}/forgotten.ts`,
    'export function f(x: "a" | "b") {\n  switch (x) {\n    case "a":\n      f("b");\n  }\n}\n',
  ],
];

/** What must pass although it looks like a fault. */
const innocents: readonly (readonly [rule: string, path: string, text: string])[] = [
  ["style/noRestrictedGlobals", "packages/server/src/base/system-clock.ts", "export const now = () => Date.now();\n"],
  ["style/noRestrictedGlobals", "packages/server/src/serve.ts", "export const now = () => Date.now();\n"],
  ["nursery/noJsRestrictedProperties", "packages/client/src/retry.ts", "export const x = Math.random();\n"],
  [
    "suspicious/noImportCycles",
    `${engine}/part.ts`,
    'import type { Whole } from "./whole.ts";\nexport type Part = Whole;\n',
  ],
  [
    "suspicious/noImportCycles",
    `${engine}/whole.ts`,
    'import type { Part } from "./part.ts";\nexport type Whole = Part;\n',
  ],
  ["style/noDefaultExport", "vitest.config.ts", "export default {};\n"],
  ["complexity/useLiteralKeys", `${job}/literal.ts`, 'export const f = (x: Record<string, number>) => x["a"];\n'],
];

let folder = "";
let complaints: readonly { readonly category: string; readonly location: { readonly path: string } }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-lint-"));
  await copyFile(join(root, "biome.json"), join(folder, "biome.json"));
  for (const [, path, text] of [...faults, ...innocents]) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const run = promisify(execFile)(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
    maxBuffer: 1 << 24,
  });
  // The linter ends with 1 when it found something, which is what is wanted here.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure);
  complaints = JSON.parse(stdout).diagnostics;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function seen(rule: string, path: string): boolean {
  return complaints.some((one) => one.category === `lint/${rule}` && one.location.path === path);
}

test.each(faults)("%s is seen in %s", (rule, path) => {
  expect(seen(rule, path)).toBe(true);
});

test.each(innocents)("%s leaves %s alone", (rule, path) => {
  expect(seen(rule, path)).toBe(false);
});
