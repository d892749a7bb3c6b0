import { expect, test } from "vitest";
import { nextState, type WorkerEvent, type WorkerState } from "../src/worker-state.ts";

function after(...events: WorkerEvent[]): WorkerState {
  return events.reduce(nextState, "stopped" as WorkerState);
}

test("a worker connects, runs, and connects again when its stream breaks", () => {
  expect(after("start")).toBe("connecting");
  expect(after("start", "opened")).toBe("running");
  expect(after("start", "opened", "lost")).toBe("connecting");
  expect(after("start", "opened", "lost", "opened")).toBe("running");
});

test("a stopping worker drains, whatever its stream does, until it has ended", () => {
  expect(after("start", "stop")).toBe("draining");
  expect(after("start", "opened", "stop", "lost")).toBe("draining");
  expect(after("start", "stop", "opened")).toBe("draining");
  expect(after("start", "opened", "stop", "stop", "ended")).toBe("stopped");
});

test("a pause lets go of the stream until the worker is started again", () => {
  expect(after("start", "opened", "idle")).toBe("paused");
  expect(after("start", "idle", "opened")).toBe("paused");
  expect(after("start", "opened", "idle", "start")).toBe("connecting");
  expect(after("start", "opened", "idle", "stop")).toBe("draining");
});
