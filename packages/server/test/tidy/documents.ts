/** What documents claim, compared with what is there: paths, anchors, error codes, decision records. */
import { isSource, resolveRelative, type TextFile } from "./text-file.ts";

const isDocument = (path: string): boolean => /^(?:docs\/.+|README|CHANGELOG)(?:\.md)?$/.test(path);

const FENCES = /^```[\s\S]*?^```/gm;
const NAMED = /`([^`\n]+)`/g;
const LINKED = /\]\(([^)\s]+)\)/g;
const PATH_SHAPE = /^\.?[\w@-][\w.@-]*(?:\/[\w.@-]+)*\/?$/;
const FILE_EXTENSION = /\.(?:ts|mjs|js|json|md)$/;
const TOP_FOLDER = /^(?:packages|docs|bench|scripts|\.ci)\//;

/**
 * Complaints about paths that documents name and nobody has: links, and inline code that looks like a file of the
 * repository. A name in inline code may be short (`job/transitions.ts`): some file's path must end with it.
 */
export function checkPaths(files: readonly TextFile[], everything: readonly string[]): string[] {
  const documents = files.filter((file) => isDocument(file.path));
  if (documents.length === 0) return ["documents: nothing to check"];
  const known = new Set(everything.flatMap((path) => [path, ...foldersOf(path)]));
  return documents.flatMap((document) => {
    const prose = document.text.replace(FENCES, "");
    const named = [...prose.matchAll(NAMED)]
      .map((found) => found[1] ?? "")
      .filter((text) => PATH_SHAPE.test(text) && (FILE_EXTENSION.test(text) || TOP_FOLDER.test(text)))
      .filter((text) => !endsSomewhere(text.replace(/\/$/, ""), known));
    const linked = [...prose.matchAll(LINKED)]
      .map((found) => found[1] ?? "")
      .filter((target) => !/^(?:https?:|mailto:)/.test(target))
      .filter((target) => !linkHolds(document, target, files, known));
    return [...new Set([...named, ...linked])].map((path) => `${document.path}: names ${path}, which does not exist`);
  });
}

function endsSomewhere(path: string, known: ReadonlySet<string>): boolean {
  if (known.has(path)) return true;
  for (const one of known) if (one.endsWith(`/${path}`)) return true;
  return false;
}

function linkHolds(
  document: TextFile,
  target: string,
  files: readonly TextFile[],
  known: ReadonlySet<string>,
): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document.path : resolveRelative(document.path, path).replace(/\/$/, "");
  if (!known.has(file)) return false;
  if (anchor === undefined) return true;
  const text = files.find((one) => one.path === file)?.text ?? "";
  return [...text.matchAll(/^#+ (.+)$/gm)].some((heading) => anchorOf(heading[1] ?? "") === anchor);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Complaints about a document that does not show a drawing line by line as the tests have it. */
export function checkDrawing(files: readonly TextFile[], path: string, drawing: string): string[] {
  const lines = drawing.split("\n").map((line) => line.trim());
  const text = files.find((file) => file.path === path)?.text;
  if (text === undefined || !lines.some((line) => line !== "")) return ["drawing: nothing to check"];
  const shown = new Set(text.split("\n").map((line) => line.trim()));
  return lines.filter((line) => !shown.has(line)).map((line) => `${path}: does not show "${line}"`);
}

const QUOTED_TEST = /^\| .* \| `([^`]+)` \| "(.+)" \|$/gm;

/** Complaints about rows `claim | file | "test"` whose file has no such test: a guarantee without a test is a hope. */
export function checkQuotedTests(files: readonly TextFile[], path: string): string[] {
  const rows = [...(files.find((file) => file.path === path)?.text ?? "").matchAll(QUOTED_TEST)];
  if (rows.length === 0) return ["quoted tests: nothing to check"];
  return rows.flatMap(([, file = "", title = ""]) =>
    files.some((one) => one.path === file && one.text.includes(title))
      ? []
      : [`${path}: ${file} has no test "${title}"`],
  );
}

export interface CodeFacts {
  readonly http: number;
  readonly retry: boolean;
}

const CODE_ROW = /^\| `([A-Z_]+)` \| (\d{3}) \| (yes|no) \| (.*)$/gm;
const NOT_YET = "*Not produced yet.*";
/** A 405 has no body, so nothing ever spells its code; that it is produced is a test of the router. */
const WITHOUT_BODY = new Set(["METHOD_NOT_ALLOWED"]);

/**
 * Complaints about docs/errors.md: each code of the list has one row with the same HTTP status and retry column, no row
 * is left over, and the rows marked as not produced yet are exactly those that no source of the server names.
 */
export function checkErrorCodes(files: readonly TextFile[], codes: Readonly<Record<string, CodeFacts>>): string[] {
  const text = files.find((file) => file.path === "docs/errors.md")?.text;
  if (text === undefined || Object.keys(codes).length === 0) return ["error codes: nothing to check"];
  // The client names codes as well, but it only reacts to them.
  const sources = files.filter((file) => isSource(file.path) && file.path.startsWith("packages/server/"));
  const rows = new Map<string, string>();
  const complaints: string[] = [];
  for (const [, code = "", http = "", retry = "", rest = ""] of text.matchAll(CODE_ROW)) {
    const facts = codes[code];
    if (rows.has(code)) complaints.push(`docs/errors.md: ${code} has two rows`);
    rows.set(code, rest);
    if (facts === undefined) complaints.push(`docs/errors.md: ${code} is no code`);
    else if (facts.http !== Number(http)) complaints.push(`docs/errors.md: ${code} says ${http}, is ${facts.http}`);
    else if (facts.retry !== (retry === "yes")) complaints.push(`docs/errors.md: ${code} is wrong about retry`);
  }
  for (const code of Object.keys(codes)) {
    const row = rows.get(code);
    if (row === undefined) {
      complaints.push(`docs/errors.md: ${code} is missing`);
      continue;
    }
    const produced = WITHOUT_BODY.has(code) || sources.some((file) => file.text.includes(`"${code}"`));
    if (produced && row.includes(NOT_YET))
      complaints.push(`docs/errors.md: ${code} is produced, but marked as not yet`);
    if (!produced && !row.includes(NOT_YET)) complaints.push(`docs/errors.md: nothing produces ${code}: mark it`);
  }
  return complaints;
}

const DECISION_NAME = /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/;
const DECISION_PARTS = ["Context", "Decision", "Consequences"];

/** Complaints about decision records: numbered without a gap, with a status and the three parts. */
export function checkDecisions(files: readonly TextFile[]): string[] {
  const records = files.filter((file) => file.path.startsWith("docs/decisions/"));
  if (records.length === 0) return ["decisions: nothing to check"];
  return records.flatMap((record, index) => {
    const [, number = ""] = DECISION_NAME.exec(record.path) ?? [];
    const complaints: string[] = [];
    if (Number(number) !== index + 1) complaints.push(`${record.path}: expected number ${index + 1}`);
    if (!record.text.startsWith(`# ${number}. `))
      complaints.push(`${record.path}: its title does not begin with its number`);
    if (!/^Status: (?:accepted|proposed|superseded by \d{4})$/m.test(record.text))
      complaints.push(`${record.path}: no status`);
    for (const part of DECISION_PARTS) {
      if (!record.text.includes(`\n## ${part}\n`)) complaints.push(`${record.path}: no part "${part}"`);
    }
    return complaints;
  });
}
