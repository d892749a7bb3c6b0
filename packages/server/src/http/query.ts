import { QueueError } from "@millrace/protocol/errors";

/** Parameters that the contract names and that are not built; with a value they are refused, never ignored. */
const NOT_BUILT = new Set(["filter", "budgets.key", "group", "tags", "config_key", "phase", "reason"]);

/** The decoded parameters of a request, each at most once, all of them known. */
export type Query = ReadonlyMap<string, string>;

const NO_PARAMETERS: Query = new Map();

/**
 * Reads the text after the `?`.
 * @param known the names that the route takes
 * INVALID_QUERY: unknown or repeated name, bad percent-encoding. NOT_SUPPORTED: a name of the contract that is not built.
 */
export function parseQuery(text: string, known: ReadonlySet<string>): Query {
  if (text === "") return NO_PARAMETERS;
  const query = new Map<string, string>();
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? "" : decode(part.slice(equals + 1));
    if (!known.has(name)) throw new QueueError("INVALID_QUERY", `unknown parameter ${JSON.stringify(name)}`);
    if (query.has(name)) throw new QueueError("INVALID_QUERY", `parameter ${name} is given more than once`);
    if (value !== "" && NOT_BUILT.has(name))
      throw new QueueError("NOT_SUPPORTED", `parameter ${name} is not supported yet`);
    query.set(name, value);
  }
  return query;
}

const NONE: ReadonlySet<string> = new Set();

/** For routes without parameters. INVALID_QUERY. */
export function refuseParameters(text: string): void {
  parseQuery(text, NONE);
}

/** A comma-separated list, without empty parts and repeats; undefined when nothing is listed. */
export function parseList(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined || text === "") return undefined;
  const parts = new Set(text.split(","));
  parts.delete("");
  return parts.size === 0 ? undefined : parts;
}

/** An unsigned integer from `min` to `max`; undefined when the parameter is absent. INVALID_QUERY. */
export function parseUnsigned(query: Query, name: string, min: number, max: number): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const value = isDigits(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new QueueError("INVALID_QUERY", `${name} must be an integer from ${min} to ${max}`);
}

/** `asc` unless it says otherwise. INVALID_QUERY. */
export function parseOrder(query: Query): "asc" | "desc" {
  const text = query.get("order") ?? "asc";
  if (text === "asc" || text === "desc") return text;
  throw new QueueError("INVALID_QUERY", "order must be asc or desc");
}

export function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch (cause) {
    throw new QueueError("INVALID_QUERY", "the query holds a malformed percent-encoding", { cause });
  }
}
