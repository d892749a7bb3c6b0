import { type Instant, instant } from "@millrace/protocol/ids";
import { unreachable } from "../../src/base/assert.ts";
import type { Alarm, Clock } from "../../src/base/clock.ts";

/** A clock that shows what the test sets, for parts that only read the time. */
export class HandClock implements Clock {
  time: number;

  constructor(time = 1_773_464_269_527) {
    this.time = time;
  }

  now(): Instant {
    return instant(this.time);
  }

  after(): Alarm {
    return unreachable("after" as never);
  }

  soon(): void {
    unreachable("soon" as never);
  }
}
