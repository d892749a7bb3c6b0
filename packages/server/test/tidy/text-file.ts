import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the repository; its path is relative to the root, with `/`. All tidy checks are functions over lists of these. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** What one import or re-export names, as written. A type-only import is an import like any other. */
export interface ImportFound {
  readonly specifier: string;
  readonly lazy: boolean;
  readonly typeOnly: boolean;
}

const SKIPPED_FOLDERS = new Set(["node_modules", "dist", "coverage", ".git", ".cache", "millrace-data"]);
const READ_EXTENSIONS = /\.(?:ts|mjs|js|json|md)$/;

/** Every path below a folder that a person wrote, in order. */
export function listTree(root: string, folder = ""): string[] {
  const paths: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) paths.push(path);
    else if (!SKIPPED_FOLDERS.has(entry.name)) paths.push(...listTree(root, path));
  }
  return paths.sort();
}

/** Those of the paths that hold code or prose, with their text. */
export function readTexts(root: string, paths: readonly string[]): TextFile[] {
  return paths
    .filter((path) => READ_EXTENSIONS.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Production source: what is compiled and shipped. */
export function isSource(path: string): boolean {
  return /^packages\/[^/]+\/src\/.+\.ts$/.test(path);
}

/** What is compiled: the shipped source, the benchmarks and the demonstration. */
export function isCompiled(path: string): boolean {
  return isSource(path) || /^(?:bench|demo)\/src\/.+\.ts$/.test(path);
}

/** Code of any kind: source, tests, benchmarks, scripts. */
export function isCode(path: string): boolean {
  return /^(?:packages|bench|demo|scripts)\/.+\.(?:ts|mjs|js)$/.test(path);
}

// Anchored at the start of a line, so that prose in comments ("import it from …") is not taken for an import.
const STATIC_IMPORT = /^(?:import|export)\b([^;"']*?)\bfrom\s*["']([^"']+)["']/gm;
const SIDE_EFFECT_IMPORT = /^import\s*["']([^"']+)["']/gm;
const LAZY_IMPORT = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** All imports of a file, read from its text. */
export function importsOf(file: TextFile): ImportFound[] {
  const found: ImportFound[] = [];
  for (const [, what = "", specifier = ""] of file.text.matchAll(STATIC_IMPORT)) {
    found.push({ specifier, lazy: false, typeOnly: /^\s*type\b/.test(what) });
  }
  for (const [, specifier = ""] of file.text.matchAll(SIDE_EFFECT_IMPORT)) {
    found.push({ specifier, lazy: false, typeOnly: false });
  }
  for (const [, specifier = ""] of file.text.matchAll(LAZY_IMPORT)) {
    found.push({ specifier, lazy: true, typeOnly: false });
  }
  return found;
}

/** The repository path that a relative specifier means, seen from a file. */
export function resolveRelative(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
