import { describe } from "vitest";
import { SystemClock } from "../../src/base/system-clock.ts";
import { SimClock } from "../sim/sim-clock.ts";
import { exerciseClock } from "./clock.ts";

describe("the system's clock", () => {
  exerciseClock("SystemClock", () => {
    const clock = new SystemClock();
    return { clock, pass: (ms) => passOf(clock, ms) };
  });
});

describe("the simulated clock", () => {
  exerciseClock("SimClock", () => {
    const clock = new SimClock();
    return { clock, pass: (ms) => clock.run(clock.now() + ms) };
  });
});

/** No alarm keeps the process alive (T5), so something else has to while the test waits for one. */
async function passOf(clock: SystemClock, ms: number): Promise<void> {
  const alive = setInterval(() => undefined, 1000);
  try {
    await new Promise<void>((resolve) => {
      clock.after(ms, resolve);
    });
  } finally {
    clearInterval(alive);
  }
}
