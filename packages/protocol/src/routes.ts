/**
 * Every route of the primary listener by name, so that client and server cannot drift. A template's `{name}` stands for one
 * segment, percent-encoded on the wire. Static segments win over parameters: `/jobs/count` is never a job's id.
 */

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Route {
  readonly method: Method;
  readonly path: string;
  /** False: the route is known and answers NOT_SUPPORTED. */
  readonly built: boolean;
}

/** The routes that are served. `HEAD` is answered wherever `GET` is. */
const builtRoutes = {
  health: { method: "GET", path: "/health", built: true },
  version: { method: "GET", path: "/version", built: true },
  queues: { method: "GET", path: "/queues", built: true },
  enqueue: { method: "POST", path: "/jobs", built: true },
  enqueueBulk: { method: "POST", path: "/jobs/bulk", built: true },
  listJobs: { method: "GET", path: "/jobs", built: true },
  countJobs: { method: "GET", path: "/jobs/count", built: true },
  getJob: { method: "GET", path: "/jobs/{id}", built: true },
  deleteJob: { method: "DELETE", path: "/jobs/{id}", built: true },
  listErrors: { method: "GET", path: "/jobs/{id}/errors", built: true },
  getError: { method: "GET", path: "/jobs/{id}/errors/{attempt}", built: true },
  take: { method: "GET", path: "/jobs/take", built: true },
  succeedBulk: { method: "POST", path: "/jobs/success", built: true },
  succeed: { method: "POST", path: "/jobs/{id}/success", built: true },
  fail: { method: "POST", path: "/jobs/{id}/failure", built: true },
} as const satisfies Record<string, Route>;

/** The routes that the contract names and that are refused with NOT_SUPPORTED until they are built. */
const plannedRoutes = {
  reset: { method: "POST", path: "/reset", built: false },
  patchJobs: { method: "PATCH", path: "/jobs", built: false },
  deleteJobs: { method: "DELETE", path: "/jobs", built: false },
  patchJob: { method: "PATCH", path: "/jobs/{id}", built: false },
  retryJob: { method: "POST", path: "/jobs/{id}/retry", built: false },
  retryJobs: { method: "POST", path: "/jobs/retry", built: false },
  heartbeat: { method: "POST", path: "/jobs/{id}/heartbeat", built: false },
  cancelJob: { method: "POST", path: "/jobs/{id}/cancel", built: false },
  confirmCancelled: { method: "POST", path: "/jobs/{id}/cancelled", built: false },
  reportProgress: { method: "POST", path: "/jobs/{id}/progress", built: false },
  writeLog: { method: "POST", path: "/jobs/{id}/log", built: false },
  readLog: { method: "GET", path: "/jobs/{id}/log", built: false },
  getResult: { method: "GET", path: "/jobs/{id}/result", built: false },
  getPosition: { method: "GET", path: "/jobs/{id}/position", built: false },
  snoozeJob: { method: "POST", path: "/jobs/{id}/snooze", built: false },

  listBudgets: { method: "GET", path: "/budgets", built: false },
  getBudget: { method: "GET", path: "/budgets/{key}", built: false },
  createBudget: { method: "POST", path: "/budgets/{key}", built: false },
  putBudget: { method: "PUT", path: "/budgets/{key}", built: false },
  patchBudget: { method: "PATCH", path: "/budgets/{key}", built: false },
  deleteBudget: { method: "DELETE", path: "/budgets/{key}", built: false },
  putJobBudgets: { method: "PUT", path: "/jobs/{id}/budgets", built: false },
  deleteJobBudgets: { method: "DELETE", path: "/jobs/{id}/budgets", built: false },
  bindJobBudget: { method: "POST", path: "/jobs/{id}/budgets/{key}", built: false },
  putJobBudget: { method: "PUT", path: "/jobs/{id}/budgets/{key}", built: false },
  patchJobBudget: { method: "PATCH", path: "/jobs/{id}/budgets/{key}", built: false },
  unbindJobBudget: { method: "DELETE", path: "/jobs/{id}/budgets/{key}", built: false },
  bindBudgets: { method: "POST", path: "/jobs/budgets/{key}", built: false },
  putBudgets: { method: "PUT", path: "/jobs/budgets/{key}", built: false },
  patchBudgets: { method: "PATCH", path: "/jobs/budgets/{key}", built: false },
  unbindBudgets: { method: "DELETE", path: "/jobs/budgets/{key}", built: false },
  unbindAllBudgets: { method: "DELETE", path: "/jobs/budgets", built: false },

  listCrons: { method: "GET", path: "/crons", built: false },
  deleteCrons: { method: "DELETE", path: "/crons", built: false },
  previewCron: { method: "GET", path: "/crons/preview", built: false },
  getCron: { method: "GET", path: "/crons/{group}", built: false },
  putCron: { method: "PUT", path: "/crons/{group}", built: false },
  patchCron: { method: "PATCH", path: "/crons/{group}", built: false },
  deleteCron: { method: "DELETE", path: "/crons/{group}", built: false },
  createCronEntry: { method: "POST", path: "/crons/{group}/entries", built: false },
  getCronEntry: { method: "GET", path: "/crons/{group}/entries/{entry}", built: false },
  putCronEntry: { method: "PUT", path: "/crons/{group}/entries/{entry}", built: false },
  patchCronEntry: { method: "PATCH", path: "/crons/{group}/entries/{entry}", built: false },
  deleteCronEntry: { method: "DELETE", path: "/crons/{group}/entries/{entry}", built: false },
  listTicks: { method: "GET", path: "/crons/{group}/entries/{entry}/ticks", built: false },
  runCronEntry: { method: "POST", path: "/crons/{group}/entries/{entry}/run", built: false },
  skipTicks: { method: "POST", path: "/crons/{group}/entries/{entry}/skip", built: false },
  startBackfill: { method: "POST", path: "/crons/{group}/entries/{entry}/backfill", built: false },
  getBackfill: { method: "GET", path: "/crons/{group}/entries/{entry}/backfill/{id}", built: false },
  deleteBackfill: { method: "DELETE", path: "/crons/{group}/entries/{entry}/backfill/{id}", built: false },

  getQueue: { method: "GET", path: "/queues/{queue}", built: false },
  putQueue: { method: "PUT", path: "/queues/{queue}", built: false },
  queueSeries: { method: "GET", path: "/queues/{queue}/series", built: false },
  series: { method: "GET", path: "/series", built: false },
  getFairness: { method: "GET", path: "/fairness", built: false },
  putFairness: { method: "PUT", path: "/fairness", built: false },
  metrics: { method: "GET", path: "/metrics", built: false },
  openApi: { method: "GET", path: "/openapi.json", built: false },
  healthz: { method: "GET", path: "/healthz", built: false },
  readyz: { method: "GET", path: "/readyz", built: false },
  events: { method: "GET", path: "/events", built: false },
  listWorkers: { method: "GET", path: "/workers", built: false },
  quietWorker: { method: "POST", path: "/workers/{stream}/quiet", built: false },
  stopWorker: { method: "POST", path: "/workers/{stream}/stop", built: false },
  getWebhook: { method: "GET", path: "/webhooks/{name}", built: false },
  putWebhook: { method: "PUT", path: "/webhooks/{name}", built: false },
  deleteWebhook: { method: "DELETE", path: "/webhooks/{name}", built: false },
  audit: { method: "GET", path: "/audit", built: false },
} as const satisfies Record<string, Route>;

export const routes = { ...builtRoutes, ...plannedRoutes };

export type RouteName = keyof typeof routes;
export type BuiltRouteName = keyof typeof builtRoutes;

/** The parameters of a template, `"id" | "attempt"` of `/jobs/{id}/errors/{attempt}`. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Values for the parameters of a route, not yet encoded. */
export type RouteParameters<Name extends RouteName> = Readonly<
  Record<ParameterOf<(typeof routes)[Name]["path"]>, string | number>
>;

/** The path of a route with its parameters filled in, each percent-encoded as one segment. */
export function pathTo<Name extends RouteName>(name: Name, parameters: RouteParameters<Name>): string {
  const values: Readonly<Record<string, string | number>> = parameters;
  return routes[name].path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String(values[parameter])),
  );
}
