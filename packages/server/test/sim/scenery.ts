/** What a world is like from its first to its last life: the server's settings, and who lives there. All drawn from the seed. */
import type { CommitMode, EngineSettings } from "../../src/engine/settings.ts";
import type { Dice } from "./dice.ts";
import type { Journal } from "./journal.ts";
import { Observer } from "./observer.ts";
import type { Oracle } from "./oracle.ts";
import { Producer, queueNames, type WishCounter } from "./producer.ts";
import type { SimClock } from "./sim-clock.ts";
import { SimWorker } from "./sim-worker.ts";
import type { Weather } from "./weather.ts";
import type { Wire } from "./wire.ts";

export function drawSettings(dice: Dice): EngineSettings {
  const commitMode = dice.pick<CommitMode>(["fsync", "fsync", "buffered"]);
  return {
    globalInFlightMax: dice.pick([0, 1024, 1024, 3, 10]),
    defaultRetryLimit: dice.between(0, 4),
    defaultBackoff: { exponent: dice.pick([0, 1, 1.5]), baseMs: dice.between(0, 500), jitterMs: dice.between(0, 1000) },
    completedRetentionMs: dice.pick([0, 0, 3000, 60_000]),
    deadRetentionMs: dice.pick([0, 3000, 60_000]),
    reaperIntervalMs: dice.pick([1000, 30_000]),
    commitMode,
    enqueueCommitMode: dice.chance(0.8) ? commitMode : commitMode === "fsync" ? "buffered" : "fsync",
    operationsMax: dice.pick([1, 5, 50, 2000]),
    freshPayloadBytesMax: dice.pick([0, 2000, 1_000_000]),
    schedulerPassMax: dice.pick([1, 3, 200]),
  };
}

/** The settings that matter most for what may happen, for the journal. */
export function settingsWords({ commitMode, enqueueCommitMode, globalInFlightMax }: EngineSettings): string {
  const limit = globalInFlightMax === 0 ? "any number" : `${globalInFlightMax}`;
  return `${commitMode} mode, enqueues ${enqueueCommitMode}, ${limit} in flight`;
}

/** The people of a world outlive every server. */
export class People {
  readonly workers: readonly SimWorker[];
  readonly producers: readonly Producer[];
  readonly observer: Observer;

  constructor(options: {
    clock: SimClock;
    wire: Wire;
    dice: Dice;
    journal: Journal;
    oracle: Oracle;
    wishes: WishCounter;
    weather: () => Weather;
  }) {
    const { clock, wire, dice, journal, oracle, wishes, weather } = options;
    const common = () => ({ clock, wire, journal, oracle, dice: dice.fork() });
    this.workers = Array.from({ length: dice.between(1, 4) }, (_, index) => {
      // The first takes from all queues, so that no job is left without somebody who wants it.
      const queues = index === 0 || dice.chance(0.4) ? undefined : drawQueues(dice);
      const prefetch = dice.pick([0, 1, 1, 2, 5, 20]);
      return new SimWorker({
        ...common(),
        name: `worker ${index + 1}`,
        request: { queues, prefetch },
        weather: () => weather().workers,
      });
    });
    this.producers = Array.from({ length: dice.between(1, 2) }, (_, index) => {
      return new Producer({ ...common(), name: `producer ${index + 1}`, wishes, weather: () => weather().traffic });
    });
    this.observer = new Observer({ ...common(), name: "observer", weather: () => weather().traffic });
  }

  startAll(): void {
    for (const worker of this.workers) worker.start();
    this.startAsking();
  }

  startAsking(): void {
    for (const producer of this.producers) producer.start();
    this.observer.start();
  }

  stopAsking(): void {
    for (const producer of this.producers) producer.stop();
    this.observer.stop();
  }

  stopAll(): void {
    for (const worker of this.workers) worker.stop();
    this.stopAsking();
  }
}

function drawQueues(dice: Dice): string[] {
  const queues = queueNames.filter(() => dice.chance(0.5));
  return queues.length === 0 ? [dice.pick(queueNames)] : queues;
}
