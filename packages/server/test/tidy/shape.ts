/** How files look from outside: length, names, leftovers, and whether anybody needs them. */
import { importsOf, isCode, isCompiled, isSource, resolveRelative, type TextFile } from "./text-file.ts";

export const LINES_MAX = 300;

/** Complaints about files that are too long to be one idea. */
export function checkLengths(files: readonly TextFile[]): string[] {
  return each(files, "lengths", isCode, (file) => {
    const lines = file.text.trimEnd().split("\n").length;
    return lines > LINES_MAX ? [`${file.path}: ${lines} lines, more than ${LINES_MAX}`] : [];
  });
}

const KEBAB_FILE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|config))?\.[a-z]+$/;
const KEBAB_FOLDER = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const EMPTY_WORDS = /^(?:utils?|helpers?|common|types?|managers?|misc)$/;

/** Complaints about names that are not kebab-case or say nothing. */
export function checkNames(files: readonly TextFile[]): string[] {
  return each(files, "names", isCode, (file) => {
    const parts = file.path.split("/");
    const name = parts.pop() ?? "";
    const complaints: string[] = [];
    if (!KEBAB_FILE.test(name) || parts.some((folder) => !KEBAB_FOLDER.test(folder))) {
      complaints.push(`${file.path}: not kebab-case`);
    }
    for (const word of [...parts, ...name.replace(/\..*$/, "").split("-")]) {
      if (EMPTY_WORDS.test(word)) complaints.push(`${file.path}: "${word}" says nothing`);
    }
    return complaints;
  });
}

// Spelled with brackets so that this file does not complain about itself.
const LEFTOVERS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/, "a note to oneself"],
  [/\b(?:describe|test|it)\.(?:only|todo)\b/, "a focused or planned test"],
  [/\b(?:describe|test|it)\.skip\b(?!If)/, "a skipped test; test.skipIf() with a reason is fine"],
  [/^\s*debu[g]ger;/m, "a breakpoint"],
];

/** Complaints about what should not have been left behind. */
export function checkLeftovers(files: readonly TextFile[]): string[] {
  return each(files, "leftovers", isCode, (file) =>
    file.text
      .split("\n")
      .flatMap((line, index) =>
        LEFTOVERS.filter(([pattern]) => pattern.test(line)).map(([, what]) => `${file.path}:${index + 1}: ${what}`),
      ),
  );
}

/** Source that only tests and the simulation use, on purpose. */
const FOR_TESTS = new Set(["packages/server/src/base/seeded-random.ts"]);

/** Complaints about source files that no other source file imports and that are no package's front door. */
export function checkDeadFiles(files: readonly TextFile[]): string[] {
  const alive = new Set([...FOR_TESTS, ...entriesOf(files)]);
  for (const file of files) {
    if (!isCompiled(file.path)) continue;
    for (const { specifier } of importsOf(file)) alive.add(targetOf(file.path, specifier));
  }
  return each(files, "dead files", isSource, (file) =>
    alive.has(file.path) ? [] : [`${file.path}: nothing imports it and no package exports it`],
  );
}

/** Complaints about source that leans on tests. */
export function checkNoTestsInSource(files: readonly TextFile[]): string[] {
  return each(files, "source without tests", isSource, (file) =>
    importsOf(file)
      .filter(({ specifier }) => /(?:^|\/)test\/|^vitest$|^fast-check$/.test(specifier))
      .map(({ specifier }) => `${file.path}: source imports ${specifier}, which belongs to tests`),
  );
}

function each(
  files: readonly TextFile[],
  name: string,
  belongs: (path: string) => boolean,
  complain: (file: TextFile) => readonly string[],
): string[] {
  const chosen = files.filter((file) => belongs(file.path));
  // A check of nothing must not pass: it would go on passing after a folder was renamed.
  return chosen.length === 0 ? [`${name}: nothing to check`] : chosen.flatMap(complain);
}

/** Front doors: the sources that a package's exports map names one by one, and those its launchers load. */
function entriesOf(files: readonly TextFile[]): string[] {
  return files.flatMap((file) => {
    const [, folder] = /^(packages\/[^/]+)\/(?:package\.json|bin\/[^/]+\.js)$/.exec(file.path) ?? [];
    if (folder === undefined) return [];
    const sources = [...file.text.matchAll(/"millrace-source":\s*"\.\/(src\/[a-z-]+\.ts)"/g)].map((found) => found[1]);
    const built = [...file.text.matchAll(/"\.\.\/dist\/([a-z-]+)\.js"/g)].map((found) => `src/${found[1]}.ts`);
    return [...sources, ...built].map((path) => `${folder}/${path}`);
  });
}

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return resolveRelative(from, specifier);
  return specifier.replace(/^@millrace\/([^/]+)\/(.+)$/, "packages/$1/src/$2.ts");
}
