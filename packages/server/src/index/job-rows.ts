/**
 * A live job at rest: thirteen words, 52 bytes.
 *
 *   0-3 id, the largest digit first     4 priority << 16 | retry | status     5 kind (queue and type)     6 options
 *   7 history     8-9 due time     10 previous, or position in a heap     11 next     12 seat in the catalogue
 *
 * A job is ready, scheduled or in flight, never two of them; so the indexes share words 10 and 11, and whichever holds the
 * job owns them. The seat is the catalogue's. Everything else is written by JobTable alone.
 */
import { unreachable } from "../base/assert.ts";
import type { LiveJob } from "../job/job.ts";
import { Rows } from "./rows.ts";

export type LiveStatus = LiveJob["status"];

const head = 4;
const kind = 5;
const options = 6;
const history = 7;
const dueHigh = 8;
const dueLow = 9;
const previous = 10;
const next = 11;
const seat = 12;
const width = 13;

const statusMask = 3;
const retryFlag = 4;
const priorityShift = 16;
/** No row has this number: the job waits in a heap, not in a list. */
const inHeap = 0xffffffff;
const two32 = 2 ** 32;

export class JobRows extends Rows {
  constructor() {
    super(width);
  }

  /** Undefined = nobody lives there. */
  status(row: number): LiveStatus | undefined {
    return statuses[this.get(row, head) & statusMask];
  }

  /** Whether a scheduled job is so because of a failure. */
  isRetry(row: number): boolean {
    return (this.get(row, head) & retryFlag) !== 0;
  }

  priority(row: number): number {
    return this.get(row, head) >>> priorityShift;
  }

  setHead(row: number, job: LiveJob): void {
    const retry = job.status === "scheduled" && job.because === "retry" ? retryFlag : 0;
    this.set(row, head, (job.priority << priorityShift) | retry | codeOf(job.status));
  }

  clearHead(row: number): void {
    this.set(row, head, 0);
  }

  kind(row: number): number {
    return this.get(row, kind);
  }

  setKind(row: number, number: number): void {
    this.set(row, kind, number);
  }

  options(row: number): number {
    return this.get(row, options);
  }

  setOptions(row: number, number: number): void {
    this.set(row, options, number);
  }

  history(row: number): number {
    return this.get(row, history);
  }

  setHistory(row: number, number: number): void {
    this.set(row, history, number);
  }

  /** Due time, milliseconds, up to 2^53 - 1. */
  readyAt(row: number): number {
    return this.get(row, dueHigh) * two32 + this.get(row, dueLow);
  }

  setReadyAt(row: number, ms: number): void {
    this.set(row, dueHigh, Math.floor(ms / two32));
    this.set(row, dueLow, ms);
  }

  setId(row: number, id: Uint32Array): void {
    const words = this.words(row);
    const start = this.start(row);
    for (let word = 0; word < 4; word += 1) words[start + word] = id[word] ?? 0;
  }

  copyId(row: number, into: Uint32Array): void {
    const words = this.words(row);
    const start = this.start(row);
    for (let word = 0; word < 4; word += 1) into[word] = words[start + word] ?? 0;
  }

  /** Negative when `a` has the smaller id, 0 when it is the same row. */
  compareIds(a: number, b: number): number {
    return compareIds(this.words(a), this.start(a), this.words(b), this.start(b));
  }

  /** As {@link compareIds}, with an id given as words. */
  compareId(row: number, id: Uint32Array): number {
    return compareIds(this.words(row), this.start(row), id, 0);
  }

  /** The order of dispatch: priority, then id. */
  runsBefore(a: number, b: number): boolean {
    return (this.priority(a) - this.priority(b) || this.compareIds(a, b)) < 0;
  }

  /** The order of promotion: due time, then id. */
  isDueBefore(a: number, b: number): boolean {
    return (
      (this.get(a, dueHigh) - this.get(b, dueHigh) ||
        this.get(a, dueLow) - this.get(b, dueLow) ||
        this.compareIds(a, b)) < 0
    );
  }

  /** Neighbour in a list; -1 = none. */
  previous(row: number): number {
    return this.get(row, previous) - 1;
  }

  setPrevious(row: number, other: number): void {
    this.set(row, previous, other + 1);
  }

  /** Neighbour in a list; -1 = none. */
  next(row: number): number {
    return this.get(row, next) - 1;
  }

  setNext(row: number, other: number): void {
    this.set(row, next, other + 1);
  }

  isInHeap(row: number): boolean {
    return this.get(row, next) === inHeap;
  }

  position(row: number): number {
    return this.get(row, previous);
  }

  setPosition(row: number, position: number): void {
    this.set(row, previous, position);
    this.set(row, next, inHeap);
  }

  seat(row: number): number {
    return this.get(row, seat);
  }

  setSeat(row: number, number: number): void {
    this.set(row, seat, number);
  }

  /** Every row in which a job lives. */
  *live(): Generator<number> {
    for (const row of this.touched()) if (this.status(row) !== undefined) yield row;
  }
}

function compareIds(a: Uint32Array, startA: number, b: Uint32Array, startB: number): number {
  for (let word = 0; word < 4; word += 1) {
    const difference = (a[startA + word] ?? 0) - (b[startB + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const statuses = [undefined, "scheduled", "ready", "in_flight"] as const;

function codeOf(status: LiveStatus): number {
  switch (status) {
    case "scheduled":
      return 1;
    case "ready":
      return 2;
    case "in_flight":
      return 3;
    default:
      return unreachable(status);
  }
}
