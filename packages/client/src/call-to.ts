import { QueueError } from "@millrace/protocol/errors";
import { type BuiltRouteName, pathTo, type RouteParameters, routes } from "@millrace/protocol/routes";
import type { Encoded } from "./codec.ts";
import type { Call } from "./connection.ts";
import { isWellFormed } from "./payload.ts";

/** A call to a route by its name. INVALID_FIELD for a parameter that no URL can carry. */
export function callTo<Name extends BuiltRouteName>(
  name: Name,
  parameters: RouteParameters<Name>,
  more: { readonly query?: string; readonly body?: Encoded } = {},
): Call {
  for (const [parameter, value] of Object.entries<string | number>(parameters)) {
    // An empty segment would be another route.
    if (value !== "" && isWellFormed(String(value))) continue;
    throw new QueueError("INVALID_FIELD", `${parameter} must be a text that a URL can carry, and not empty`);
  }
  const path = pathTo(name, parameters) + (more.query ?? "");
  return { method: routes[name].method, path, body: more.body };
}
