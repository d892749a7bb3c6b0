import { describe } from "vitest";
import { SystemClock } from "../../src/base/system-clock.ts";
import { exerciseClock } from "../conformance/clock.ts";

describe("the machine's clock keeps the contract", () => {
  exerciseClock("SystemClock", () => ({ clock: new SystemClock(), pass: realTime }));
});

/** Time itself is under test here, so real time has to pass; a millisecond more, since timers may be early by a part of one. */
function realTime(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms + 1));
}
