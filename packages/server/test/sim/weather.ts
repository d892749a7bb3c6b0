/**
 * What a life has to live through. Each life draws its own weather, and draws it feature by feature (a swarm): each kind of
 * trouble is absent from half of the lives, because trouble of one kind hides trouble of another. A server that crashes at
 * its third write never meets the worker that acks a minute too late.
 */
import type { Dice } from "./dice.ts";
import type { DiskWeather, WriteFate } from "./sim-kv.ts";

/** How a life ends, apart from a write that fails. */
export type Ending = "process crash" | "power cut" | "orderly stop";

/** Where exactly: an await is where a process can be overtaken by its end, so all of them are reachable. */
export type CrashPoint = "at a time" | "before a write" | "during a write" | "after a write" | "after a request";

export interface CrashPlan {
  readonly ending: Ending;
  readonly point: CrashPoint;
  /** The life ends then at the latest, milliseconds after its start. */
  readonly atMs: number;
  /** Which write or request, from 1. */
  readonly nth: number;
  /** Promises that may still settle after the write or the request. */
  readonly promises: number;
}

/** The way between the server and everybody else. Probabilities are per message. */
export interface WireWeather {
  delayMs(): number;
  readonly requestLost: number;
  readonly replyLost: number;
  readonly requestTwice: number;
  /** A stream breaks, by no fault of either end; per job message. */
  readonly streamCut: number;
  /** The server hears of a broken stream late: the peer vanished without a word. */
  readonly halfOpen: number;
}

/** What workers are like; probabilities are per job. What is left over acks in time. */
export interface WorkerWeather {
  readonly busyMs: number;
  readonly fails: number;
  readonly hangs: number;
  readonly dies: number;
  /** Loses its stream, and acks nevertheless, when the job may be somebody else's. */
  readonly acksLate: number;
  readonly acksTwice: number;
  readonly acksInBulk: number;
  /** Sends the delivery token with its ack. */
  readonly namesDelivery: number;
  readonly readsSlowly: boolean;
}

/** What else people do, per second. */
export interface TrafficWeather {
  readonly enqueuesPerSecond: number;
  readonly looksPerSecond: number;
  readonly deletesPerSecond: number;
}

export interface Weather {
  /** In words, for the journal. */
  readonly words: string;
  /** Undefined = the life goes on until the world's end. */
  readonly crash: CrashPlan | undefined;
  readonly disk: DiskWeather;
  readonly wire: WireWeather;
  readonly workers: WorkerWeather;
  readonly traffic: TrafficWeather;
  /** The world keeps quiet at first, and compares everything that was ever said with what the server now says. */
  readonly quietStart: boolean;
  /** How long nobody listens before this life starts, milliseconds. */
  readonly downMs: number;
}

/** A life that will end badly. */
export function drawStorm(dice: Dice): Weather {
  const words: string[] = [];
  const sometimes = <T>(name: string, present: T, absent: T): T => {
    if (dice.chance(0.5)) return absent;
    words.push(name);
    return present;
  };
  const crash = drawCrash(dice);
  const workers = drawWorkers(dice, sometimes);
  const wire = drawWire(dice, sometimes);
  const disk = drawDisk(dice, sometimes);
  const traffic = drawTraffic(dice);
  return {
    words: words.length === 0 ? "fair" : words.join(", "),
    crash,
    disk,
    wire,
    workers,
    traffic,
    quietStart: dice.chance(0.5),
    downMs: dice.skewed(1, 20_000),
  };
}

/** The last life: disk and wire are in order, and nothing ends it. People remain people, until the world asks them to finish. */
export function drawCalm(dice: Dice): Weather {
  const sometimes = <T>(_name: string, present: T, absent: T): T => (dice.chance(0.5) ? present : absent);
  const slowest = dice.skewed(1, 20);
  return {
    words: "calm",
    crash: undefined,
    disk: {
      readMs: () => 0,
      writeMs: () => dice.spread(0, slowest),
      fate: () => "written",
      refusesOnceRefused: false,
      pageEntriesMax: 100,
    },
    wire: { ...calmWire(dice), streamCut: sometimes("", 0.05, 0) },
    workers: drawWorkers(dice, sometimes),
    traffic: drawTraffic(dice),
    quietStart: dice.chance(0.5),
    downMs: dice.skewed(1, 20_000),
  };
}

type Sometimes = <T>(name: string, present: T, absent: T) => T;

function drawCrash(dice: Dice): CrashPlan {
  const ending = dice.pick<Ending>(["process crash", "process crash", "power cut", "power cut", "orderly stop"]);
  const point = dice.pick<CrashPoint>([
    "at a time",
    "before a write",
    "during a write",
    "after a write",
    "after a request",
  ]);
  return {
    ending,
    point,
    atMs: dice.skewed(5, 15_000),
    nth: Math.ceil(dice.skewed(1, 120)),
    promises: dice.between(0, 12),
  };
}

function drawDisk(dice: Dice, sometimes: Sometimes): DiskWeather {
  const slowest = sometimes("a slow disk", dice.skewed(20, 800), 3);
  const readSlowest = sometimes("slow reads", dice.skewed(5, 300), 0);
  // Rare enough that the life goes on for a while: the first failure ends it.
  const failure = sometimes("a failing disk", dice.spread(0.002, 0.05), 0);
  const writtenAllTheSame = dice.chance(0.5) ? 0.5 : 0;
  return {
    readMs: () => (readSlowest === 0 ? 0 : dice.skewed(0, readSlowest)),
    writeMs: (sync) => dice.skewed(0.05, sync ? slowest : slowest / 3),
    fate: (): WriteFate => {
      if (failure === 0 || !dice.chance(failure)) return "written";
      return dice.chance(writtenAllTheSame) ? "refused but written" : "refused";
    },
    refusesOnceRefused: dice.chance(0.7),
    pageEntriesMax: dice.between(1, 20),
  };
}

function calmWire(dice: Dice): WireWeather {
  const slowest = dice.skewed(1, 50);
  return {
    delayMs: () => dice.spread(0, slowest),
    requestLost: 0,
    replyLost: 0,
    requestTwice: 0,
    streamCut: 0,
    halfOpen: 0,
  };
}

function drawWire(dice: Dice, sometimes: Sometimes): WireWeather {
  const slowest = sometimes("a slow wire", dice.skewed(20, 2000), 5);
  return {
    delayMs: () => dice.skewed(0.01, slowest),
    requestLost: sometimes("lost requests", 0.1, 0),
    replyLost: sometimes("lost replies", 0.1, 0),
    requestTwice: sometimes("requests that arrive twice", dice.spread(0.05, 0.4), 0),
    streamCut: sometimes("cut streams", 0.05, 0),
    halfOpen: sometimes("peers that vanish without a word", 0.3, 0),
  };
}

function drawWorkers(dice: Dice, sometimes: Sometimes): WorkerWeather {
  return {
    busyMs: dice.skewed(1, 3000),
    fails: sometimes("jobs that fail", dice.spread(0.05, 0.4), 0),
    hangs: sometimes("workers that hang", 0.05, 0),
    dies: sometimes("workers that die", 0.05, 0),
    acksLate: sometimes("acks too late", 0.08, 0),
    acksTwice: sometimes("acks twice", 0.15, 0),
    acksInBulk: dice.pick([0, 0.3, 1]),
    namesDelivery: dice.pick([0, 0.5, 1]),
    readsSlowly: sometimes("slow readers", true, false),
  };
}

function drawTraffic(dice: Dice): TrafficWeather {
  return {
    enqueuesPerSecond: dice.skewed(1, 40),
    looksPerSecond: dice.skewed(0.5, 60),
    deletesPerSecond: dice.chance(0.5) ? dice.skewed(0.2, 15) : 0,
  };
}

/** Workers who do nothing but their work. */
export const gentleWorkers: WorkerWeather = {
  busyMs: 10,
  fails: 0,
  hangs: 0,
  dies: 0,
  acksLate: 0,
  acksTwice: 0,
  acksInBulk: 0,
  namesDelivery: 1,
  readsSlowly: false,
};
