import { variableOf } from "./config.ts";
import { environmentOnly, type Flag, flags } from "./config-flags.ts";

/** What `millrace serve --help` prints, from the table of flags. */
export function serveHelp(): string {
  const lines = Object.entries<Flag>(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? "    " : `-${flag.short}, `;
    const value = flag.kind === "switch" ? "" : ` ${valueName(flag)}`;
    const initial = flag.default === undefined ? "" : ` [${flag.default}]`;
    return `  ${short}--${name}${value}`.padEnd(46) + `${flag.help}${initial}`;
  });
  const variables = Object.entries(environmentOnly).map(([name, { default: initial, help }]) => {
    return `  ${name}`.padEnd(46) + `${help} [${initial}]`;
  });
  return [
    "millrace serve: run the queue server",
    "",
    "Each flag can be given as an environment variable too: --root-dir as MILLRACE_ROOT_DIR. The flag wins.",
    "",
    "Flags",
    ...lines,
    "",
    "Environment only",
    ...variables,
    "",
    "Exit codes: 0 stopped, 1 start failed or the store failed, 64 wrong usage, 75 the directory is in use by another server.",
    "",
  ].join("\n");
}

/** The flags as a table for docs/operations.md. */
export function flagsTable(): string {
  const rows = Object.entries<Flag>(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? "" : `, \`-${flag.short}\``;
    return `| \`--${name}\`${short} | \`${variableOf(name)}\` | ${flag.default === undefined ? "" : `\`${flag.default}\``} | ${flag.help} |`;
  });
  return ["| flag | variable | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function valueName(flag: Flag): string {
  switch (flag.kind) {
    case "duration":
      return "TIME";
    case "size":
      return "SIZE";
    case "text":
      return "TEXT";
    case "port":
    case "count":
    case "decimal":
      return "N";
    case "switch":
      return "";
    default:
      return flag.kind.join("|");
  }
}
