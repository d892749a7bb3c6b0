/**
 * What a worker is doing, as a pure state machine:
 *
 *   stopped ─start→ connecting ─opened→ running ─lost→ connecting
 *                       │ ↑                │
 *                  idle │ │ start     idle │              (idle: paused, and the last run has ended)
 *                       ↓ │                ↓
 *                      paused ←────────────┘
 *   connecting, running, paused ─stop→ draining ─ended→ stopped
 *
 * `connecting`: there is no stream, so no job can come. `running`: the stream is open. `paused`: no stream, by request.
 * `draining`: no job is started any more; running ones end and are answered. `stopped`: before the start and after the end.
 */
export type WorkerState = "connecting" | "running" | "paused" | "draining" | "stopped";

export type WorkerEvent = "start" | "opened" | "lost" | "idle" | "stop" | "ended";

const arrows: Readonly<Record<WorkerState, Partial<Record<WorkerEvent, WorkerState>>>> = {
  stopped: { start: "connecting", stop: "draining" },
  connecting: { opened: "running", idle: "paused", stop: "draining" },
  running: { lost: "connecting", idle: "paused", stop: "draining" },
  paused: { start: "connecting", stop: "draining" },
  draining: { ended: "stopped" },
};

/** The state after an event; an event that means nothing in a state, such as a late `opened`, leaves it as it is. */
export function nextState(state: WorkerState, event: WorkerEvent): WorkerState {
  return arrows[state][event] ?? state;
}
