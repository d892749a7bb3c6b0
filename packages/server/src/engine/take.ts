import type { Core } from "./core.ts";
import type { JobSink } from "./session.ts";
import type { TakeRequest, TakeStream } from "./verbs.ts";

/** Opens a worker's stream; while memory is being rebuilt it is accepted and gets no jobs. Throws SHUTTING_DOWN. */
export function take(core: Core, request: TakeRequest, sink: JobSink): TakeStream {
  core.gate.assertStreaming();
  return core.dispatcher.open(request, sink);
}
