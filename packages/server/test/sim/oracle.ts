/**
 * The oracle knows only what was said aloud: which answers were given and what was sent on which stream. From that it derives
 * what must be true, and complains of what is not (the properties are listed in chronicle.ts). It never looks into the server.
 */
import type { Chronicle } from "./chronicle.ts";
import type { JobFacts } from "./job-facts.ts";
import { EnqueueWitness } from "./oracle-enqueues.ts";
import { LookWitness } from "./oracle-looks.ts";
import { SettleWitness } from "./oracle-settles.ts";
import { StreamWitness } from "./oracle-streams.ts";

export class Oracle {
  readonly chronicle: Chronicle;
  readonly enqueues: EnqueueWitness;
  readonly settles: SettleWitness;
  readonly streams: StreamWitness;
  readonly looks: LookWitness;

  constructor(chronicle: Chronicle) {
    this.chronicle = chronicle;
    this.enqueues = new EnqueueWitness(chronicle);
    this.settles = new SettleWitness(chronicle);
    this.streams = new StreamWitness(chronicle);
    this.looks = new LookWitness(chronicle);
  }

  lifeBegins(): void {
    this.chronicle.life += 1;
  }

  /** Memory is rebuilt: what was on disk is ready from now on, or due when its time comes. */
  memoryRebuilt(): void {
    for (const facts of this.chronicle.jobs.values()) {
      const isOfThisLife = facts.accepted === undefined || facts.readySince !== undefined;
      if (!isOfThisLife) facts.readySince = 0;
    }
    this.streams.memoryRebuilt();
  }

  /** @param lostWrites how many writes a power cut took with it; undefined = it was no power cut */
  lifeEnds(lostWrites: number | undefined): void {
    this.streams.lifeEnds();
    for (const facts of this.chronicle.jobs.values()) facts.readySince = undefined;
    if (lostWrites !== undefined && lostWrites > 0) this.#doubt();
  }

  /** In buffered mode S1 and S2 are asked after a crash of the process only: a power cut may undo what was said. */
  #doubt(): void {
    const { commitMode, enqueueCommitMode } = this.chronicle.settings;
    for (const facts of this.chronicle.jobs.values()) {
      facts.wasInDoubt ||= commitMode === "buffered" || enqueueCommitMode === "buffered";
      if (commitMode === "buffered") this.#doubtChanges(facts);
      if (enqueueCommitMode === "buffered") this.#doubtExistence(facts);
    }
  }

  /** Its payload may be lost, and then it is; but if it is over, it stays over. */
  #doubtExistence(facts: JobFacts): void {
    const { end } = facts;
    if (end === undefined) {
      facts.accepted = undefined;
      facts.inDoubt = true;
    } else {
      facts.end = { ...end, shownUntilMin: Number.NEGATIVE_INFINITY };
    }
  }

  /** It exists, but whether it failed or ended is open again. */
  #doubtChanges(facts: JobFacts): void {
    const { end } = facts;
    if (end !== undefined) {
      facts.asks.add({
        kind: "removal",
        life: this.chronicle.life,
        begun: end.since,
        mayEnd: true,
        holding: undefined,
        disturbed: true,
      });
    }
    facts.end = undefined;
    facts.due = undefined;
    facts.attemptsMin = 0;
  }
}
