import { QueueError } from "@millrace/protocol/errors";
import type { JobView } from "@millrace/protocol/job-view";
import { describe, expect, test } from "vitest";
import { EnqueueGatherer } from "../src/enqueue-gatherer.ts";

/** Requests as they were sent; each is answered when the test says so. */
class Wire {
  readonly sent: (readonly string[])[] = [];
  readonly gatherer = new EnqueueGatherer({
    sendOne: async (job) => (await this.#send([String(job)]))[0] as JobView,
    sendMany: (jobs) => this.#send(jobs.map(String)),
  });
  /** What a request gets: undefined = done. */
  script: (jobs: readonly string[]) => unknown = () => undefined;
  #open: (() => void)[] = [];
  held = false;

  async #send(jobs: readonly string[]): Promise<readonly JobView[]> {
    this.sent.push(jobs);
    if (this.held) await new Promise<void>((resolve) => this.#open.push(resolve));
    const refusal = this.script(jobs);
    if (refusal !== undefined) throw refusal;
    return jobs.map((job) => ({ id: `id of ${job}` }) as JobView);
  }

  letGo(): void {
    this.held = false;
    for (const open of this.#open.splice(0)) open();
  }
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

function refuse(index: number | undefined): QueueError {
  const details = index === undefined ? {} : { index };
  return new QueueError("INVALID_NAME", `jobs[${index}]: a bad name`, { details });
}

describe("gathering", () => {
  test("a single call goes out alone", async () => {
    const wire = new Wire();
    await expect(wire.gatherer.enqueue("a")).resolves.toEqual({ id: "id of a" });
    expect(wire.sent).toEqual([["a"]]);
  });

  test("calls made while a request is under way share the next one, each with its own answer", async () => {
    const wire = new Wire();
    wire.held = true;
    const first = wire.gatherer.enqueue("a");
    await turn();
    const others = ["b", "c", "d"].map((job) => wire.gatherer.enqueue(job));
    await turn();
    expect(wire.sent).toEqual([["a"]]);
    wire.letGo();
    expect((await Promise.all([first, ...others])).map((job) => job.id)).toEqual([
      "id of a",
      "id of b",
      "id of c",
      "id of d",
    ]);
    expect(wire.sent).toEqual([["a"], ["b", "c", "d"]]);
  });

  test("a request is bounded by items and by length", async () => {
    const wire = new Wire();
    await Promise.all(Array.from({ length: 1500 }, (_, i) => wire.gatherer.enqueue(String(i))));
    expect(wire.sent.map((jobs) => jobs.length)).toEqual([1000, 500]);
    wire.sent.length = 0;
    const long = "x".repeat(2.5 * 1024 * 1024);
    await Promise.all([long, long, "y"].map((job) => wire.gatherer.enqueue(job)));
    expect(wire.sent.map((jobs) => jobs.length)).toEqual([1, 2]);
  });
});

describe("a member the server refuses", () => {
  test("is the only one to fail; the rest is sent again", async () => {
    const wire = new Wire();
    wire.script = (jobs) => (jobs.includes("bad") ? refuse(jobs.indexOf("bad")) : undefined);
    const answers = await Promise.allSettled(["a", "bad", "b"].map((job) => wire.gatherer.enqueue(job)));
    expect(answers.map((answer) => answer.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(wire.sent).toEqual([
      ["a", "bad", "b"],
      ["a", "b"],
    ]);
  });

  test("hears nothing of the request it shared", async () => {
    const wire = new Wire();
    wire.script = (jobs) => (jobs.length > 1 ? refuse(0) : undefined);
    const [bad] = await Promise.allSettled(["bad", "b"].map((job) => wire.gatherer.enqueue(job)));
    expect(bad).toMatchObject({ reason: { code: "INVALID_NAME", message: "a bad name", details: {} } });
  });

  test("is found by halves when the refusal names no member", async () => {
    const wire = new Wire();
    wire.script = (jobs) => (jobs.includes("bad") ? refuse(undefined) : undefined);
    const jobs = ["a", "b", "c", "bad", "e"];
    const answers = await Promise.allSettled(jobs.map((job) => wire.gatherer.enqueue(job)));
    expect(answers.map((answer) => answer.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("fails with all others when nobody can say what was stored", async () => {
    const wire = new Wire();
    wire.script = () => new QueueError("STORAGE_UNAVAILABLE", "maybe");
    const answers = await Promise.allSettled(["a", "b"].map((job) => wire.gatherer.enqueue(job)));
    expect(answers.map((answer) => answer.status)).toEqual(["rejected", "rejected"]);
    expect(wire.sent).toEqual([["a", "b"]]);
  });
});

test("settled() waits for everything asked so far", async () => {
  const wire = new Wire();
  wire.held = true;
  const answer = wire.gatherer.enqueue("a");
  const settled = wire.gatherer.settled().then(() => "settled");
  await turn();
  wire.letGo();
  await expect(answer).resolves.toBeDefined();
  await expect(settled).resolves.toBe("settled");
});
