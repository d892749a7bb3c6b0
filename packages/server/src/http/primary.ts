/**
 * The primary API: from a request to its handler. Order of checks (http-api.md 3.2): 406, then 404 or 405, then what the handler looks at
 * itself, 415, 413, 400 and its own. 414 and 431 were the listener's.
 */
import { QueueError } from "@millrace/protocol/errors";
import { type BuiltRouteName, routes } from "@millrace/protocol/routes";
import { BrokenInvariant, unreachable } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Verbs } from "../engine/verbs.ts";
import { BodyReader, RequestGone } from "./body.ts";
import type { Exchange, RequestHandler } from "./exchange.ts";
import { handleCount, handleEnqueueBulk, handleList } from "./handle-bulk.ts";
import { handleError, handleErrors } from "./handle-errors.ts";
import { handleHealth, handleQueues, handleVersion } from "./handle-health.ts";
import { handleDelete, handleEnqueue, handleGet } from "./handle-jobs.ts";
import { handleFailure, handleSuccess, handleSuccessBulk } from "./handle-settle.ts";
import { handleTake } from "./handle-take.ts";
import type { Call, Door, Handler, HttpSettings } from "./handler.ts";
import { JobEncoder } from "./job-encoder.ts";
import { notAcceptable, replyFormat, type WireFormat } from "./negotiate.ts";
import { replyError, replyMethodNotAllowed } from "./reply.ts";
import { type Match, type RouteEntry, Router, splitTarget } from "./router.ts";

const handlers: { readonly [name in BuiltRouteName]: Handler } = {
  health: handleHealth,
  version: handleVersion,
  queues: handleQueues,
  enqueue: handleEnqueue,
  enqueueBulk: handleEnqueueBulk,
  listJobs: handleList,
  countJobs: handleCount,
  getJob: handleGet,
  deleteJob: handleDelete,
  listErrors: handleErrors,
  getError: handleError,
  take: handleTake,
  succeed: handleSuccess,
  succeedBulk: handleSuccessBulk,
  fail: handleFailure,
};

const built: Readonly<Partial<Record<string, Handler>>> = handlers;

/** Every route of the contract; those without a handler are known and refused. */
const table: readonly ServedRoute[] = Object.entries(routes).map(([name, { method, path }]) => {
  return { method, path, handler: built[name] ?? refuse };
});

function refuse(): void {
  throw new QueueError("NOT_SUPPORTED", "this route is not supported yet");
}

/** Paths whose Accept header is not looked at before the route: they have formats of their own. */
const NOT_NEGOTIATED: ReadonlySet<string> = new Set([
  "/jobs/take",
  "/metrics",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/events",
]);

export interface PrimaryOptions {
  readonly verbs: Verbs;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: HttpSettings;
  /** This server's own version, without its name. */
  readonly version: string;
}

/** The handler of the primary listener. */
export function createPrimary(options: PrimaryOptions): RequestHandler {
  const { clock, settings } = options;
  const door: Door = {
    ...options,
    logger: options.logger.for("millrace.api.primary"),
    bodies: new BodyReader({ clock, bytesMax: settings.bodyBytesMax, timeoutMs: settings.bodyTimeoutMs }),
    encoder: new JobEncoder(),
  };
  const router = new Router(table);
  return (exchange) => {
    void answer(door, router, exchange);
  };
}

interface ServedRoute extends RouteEntry {
  readonly handler: Handler;
}

/** Answers one request, whatever happens. Rejects only for a broken invariant, which is to end the process. */
async function answer(door: Door, router: Router<ServedRoute>, exchange: Exchange): Promise<void> {
  const startedAt = door.clock.now();
  const { path, query } = splitTarget(exchange.target);
  const accepted = replyFormat(exchange.header("accept"));
  const match = router.match(exchange.method, path);
  const ownFormat = match.kind !== "none" && NOT_NEGOTIATED.has(match.path);
  const format = ownFormat ? "json" : (accepted ?? "json");
  let broken: BrokenInvariant | undefined;
  try {
    if (accepted === undefined && !ownFormat) throw notAcceptable();
    await dispatch(door, match, { exchange, format, query });
  } catch (error) {
    if (error instanceof BrokenInvariant) broken = error;
    answerFailure(door, exchange, format, error);
  }
  door.logger.debug("request", {
    method: exchange.method,
    path,
    status: exchange.status,
    latency_ms: door.clock.now() - startedAt,
  });
  if (broken !== undefined) throw broken;
}

function dispatch(door: Door, match: Match<ServedRoute>, call: Omit<Call, "parameters">): void | Promise<void> {
  switch (match.kind) {
    case "none":
      throw new QueueError("ROUTE_NOT_FOUND", "there is no such path");
    case "method":
      return replyMethodNotAllowed(call.exchange, match.allow);
    case "route":
      if (!match.encodingValid) throw new QueueError("INVALID_PATH", "the path holds a malformed percent-encoding");
      return match.route.handler(door, { ...call, parameters: match.parameters });
    default:
      return unreachable(match);
  }
}

function answerFailure(door: Door, exchange: Exchange, format: WireFormat, error: unknown): void {
  if (error instanceof RequestGone) return;
  const known = error instanceof QueueError && error.code !== "INTERNAL" ? error : undefined;
  if (known === undefined) {
    door.logger.error("a request failed", {
      method: exchange.method,
      path: splitTarget(exchange.target).path,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  // Nothing of the cause: it may hold what is no caller's business.
  const shown = known ?? new QueueError("INTERNAL", "the server failed to answer this request");
  if (exchange.status === 0) replyError(exchange, format, shown);
  else exchange.destroy();
}
