/**
 * Who may import whom, as a table that reads like the drawing in docs/architecture.md: a row may import itself and what
 * stands to the right of its arrow. `base` and `protocol` are open to the whole server. A type-only import is an import;
 * `type:` allows nothing but those.
 */
import { type ImportFound, importsOf, isCompiled, resolveRelative, type TextFile } from "./text-file.ts";

export const serverDrawing = `
  serve.ts   → everything
  http       → type:engine  job
  engine     → store  index  job  type:kv  kv/group-committer.ts
  store      → kv  job
  index      → job
  kv         →
  job        →
  base       →
`;

export const packageDrawing = `
  demo      → client  protocol
  bench     → client  protocol
  cli       → client  protocol  lazy:server
  client    → protocol
  server    → protocol
  protocol  →
`;

/** The files of `cli` that may reach the server, and only by a lazy import: a client's machine need not have it loaded. */
const SERVER_DOORS = new Set(["packages/cli/src/command-serve.ts"]);

/** Pure folders: no clock, no disk, no socket, so no module of the platform. */
const WITHOUT_PLATFORM = new Set(["job"]);

/** What is bought, and the one place that touches it. */
const BOUGHT: Readonly<Record<string, RegExp>> = {
  "classic-level": /^packages\/server\/src\/kv\//,
  commander: /^packages\/cli\/src\//,
  msgpackr: /^packages\/protocol\/src\//,
  pino: /^packages\/server\/src\/(?:serve|log-[a-z-]+)\.ts$|^packages\/server\/src\/base\/logger\.ts$/,
};

/** Complaints about every import that no arrow allows. */
export function checkArrows(files: readonly TextFile[]): string[] {
  const sources = files.filter((file) => isCompiled(file.path));
  if (sources.length === 0) return ["arrows: nothing to check"];
  return sources.flatMap((file) =>
    importsOf(file).flatMap((found) => {
      const complaint = complaintAbout(file.path, found);
      return complaint === undefined ? [] : [`${file.path}: imports ${found.specifier}, but ${complaint}`];
    }),
  );
}

function complaintAbout(path: string, found: ImportFound): string | undefined {
  if (found.specifier.startsWith("node:")) {
    return WITHOUT_PLATFORM.has(rowOf(path))
      ? `${rowOf(path)} is pure: it imports no module of the platform`
      : undefined;
  }
  if (found.specifier.startsWith(".")) return relativeComplaint(path, found);
  const [, neighbour] = /^(?:@millrace\/([^/]+)|millrace)(?:\/|$)/.exec(found.specifier) ?? [];
  return neighbour === undefined ? boughtComplaint(path, found.specifier) : packageComplaint(path, neighbour, found);
}

function relativeComplaint(path: string, found: ImportFound): string | undefined {
  const target = resolveRelative(path, found.specifier);
  const home = packageOf(path);
  if (!target.startsWith(path.replace(/\/src\/.*$/, "/src/"))) return "it is outside of this package's src";
  if (home !== "server") return undefined;
  const from = rowOf(path);
  const to = rowOf(target);
  if (from === to) return undefined;
  const allowed = arrowsOf(serverDrawing, from);
  if (allowed === undefined) return `${from} has no row in the drawing`;
  if (to === "serve.ts") return "nothing sees serve.ts or what stands beside it";
  if (to === "base" || allowed.includes("everything")) return undefined;
  const file = target.slice("packages/server/src/".length);
  if (allowed.includes(to) || allowed.includes(file)) return undefined;
  if (allowed.includes(`type:${to}`)) return found.typeOnly ? undefined : `${from} may import only types of ${to}`;
  return `there is no arrow from ${from} to ${to}`;
}

function packageComplaint(path: string, neighbour: string, found: ImportFound): string | undefined {
  const home = packageOf(path);
  const allowed = arrowsOf(packageDrawing, home);
  if (allowed === undefined) return `package ${home} has no row in the drawing`;
  if (allowed.includes(neighbour)) return undefined;
  if (!allowed.includes(`lazy:${neighbour}`)) return `there is no arrow from ${home} to ${neighbour}`;
  if (!SERVER_DOORS.has(path)) return `only ${[...SERVER_DOORS].join(", ")} may reach ${neighbour}`;
  return found.lazy || found.typeOnly ? undefined : `${neighbour} is reached by a lazy import only`;
}

function boughtComplaint(path: string, specifier: string): string | undefined {
  const place = BOUGHT[specifier.split("/")[0] ?? ""];
  if (place === undefined) return "it is not in the table of what is bought";
  return place.test(path) ? undefined : "it is used in one place only, and this is another";
}

/** The right side of a row, or undefined when the drawing has no such row. */
function arrowsOf(drawing: string, row: string): readonly string[] | undefined {
  for (const line of drawing.split("\n")) {
    const [left = "", right = ""] = line.split("→").map((side) => side.trim());
    if (left === row) return right.split(/\s+/).filter((word) => word !== "");
  }
  return undefined;
}

function packageOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "packages" ? second : first;
}

/** The row of the server's drawing that a file belongs to: its folder, or serve.ts when it stands beside that. */
function rowOf(path: string): string {
  const [row = "", ...below] = path.split("/").slice(3);
  return below.length === 0 ? "serve.ts" : row;
}
