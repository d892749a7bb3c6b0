import { beforeEach, describe, expect, it } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { CommitterRig } from "./committer-rig.ts";
import { drainMicrotasks } from "./fake-kv.ts";

let rig: CommitterRig;

beforeEach(() => {
  rig = new CommitterRig();
});

describe("gathering", () => {
  it("starts the write of an idle committer in soon, so that what arrives in one turn shares it", async () => {
    rig.join("a");
    rig.join("b");
    expect([rig.kv.writes.length, rig.clock.waiting]).toEqual([0, 1]);
    await rig.clock.turn();
    expect(rig.kv.writes).toHaveLength(1);
    expect(rig.kv.last.keys).toEqual(["a0", "b0"]);
    expect(rig.heard).toEqual([]);
    await rig.kv.last.succeed();
    expect(rig.heard).toEqual(["a", "b", "written"]);
  });

  it("lets what arrives during a write share the next one, which starts when that one returns", async () => {
    rig.join("a");
    await rig.clock.turn();
    rig.join("b");
    rig.join("c");
    await rig.clock.turn();
    expect(rig.kv.writes).toHaveLength(1);
    await rig.kv.last.succeed();
    expect(rig.kv.writes).toHaveLength(2);
    expect(rig.kv.last.keys).toEqual(["b0", "c0"]);
    expect(rig.heard).toEqual(["a", "written"]);
    await rig.kv.last.succeed();
    expect(rig.heard).toEqual(["a", "written", "b", "c", "written"]);
    expect([rig.kv.writes.length, rig.clock.waiting]).toEqual([2, 0]);
  });

  it("takes what the waiters and the owner of a write join for into the very next one", async () => {
    rig.join("a", { onDurable: () => rig.join("from a") });
    await rig.clock.turn();
    rig.join("b");
    await rig.kv.last.succeed();
    expect(rig.kv.last.keys).toEqual(["b0", "from a0"]);
  });

  it("is idle again when nothing arrived, and starts the next write in soon as before", async () => {
    rig.join("a");
    await rig.clock.turn();
    await rig.kv.last.succeed();
    rig.join("b");
    expect(rig.kv.writes).toHaveLength(1);
    await rig.clock.turn();
    expect(rig.kv.last.keys).toEqual(["b0"]);
  });

  it("syncs a write if any member asks for it, and the next one only if one of its own does", async () => {
    rig.join("a");
    rig.join("b", { durability: "sync" });
    rig.join("c");
    await rig.clock.turn();
    expect(rig.kv.last.sync).toBe(true);
    rig.join("d");
    await rig.kv.last.succeed();
    expect(rig.kv.last.sync).toBe(false);
  });

  it("keeps the place of a waiter that staged nothing, without writing for it", async () => {
    rig.committer.join("sync", rig.waiter("nothing"));
    await rig.clock.turn();
    expect(rig.kv.writes).toHaveLength(0);
    expect(rig.heard).toEqual(["nothing", "written"]);
    rig.join("a");
    await rig.clock.turn();
    rig.committer.join("async", rig.waiter("behind a"));
    await drainMicrotasks();
    expect(rig.heard).toEqual(["nothing", "written"]);
    await rig.kv.last.succeed();
    expect(rig.heard.slice(2)).toEqual(["a", "written", "behind a", "written"]);
  });

  it("gives commit() the fate of its write as a promise", async () => {
    rig.committer.stage().put(Buffer.from("a"), Buffer.from("v"));
    const committed = rig.committer.commit("sync");
    await rig.clock.turn();
    await rig.kv.last.succeed();
    await expect(committed).resolves.toBeUndefined();
  });

  it("treats operations that nobody joined for as a broken invariant", async () => {
    rig.join("a");
    rig.committer.stage().put(Buffer.from("lost"), Buffer.from("v"));
    await expect(rig.clock.turn()).rejects.toThrow(BrokenInvariant);
  });
});

describe("a full write", () => {
  beforeEach(() => {
    rig = new CommitterRig(3);
  });

  it("is sealed when it reached its operations, and the next join goes to another one, written after it", async () => {
    rig.join("a", { operations: 2 });
    rig.join("b", { operations: 1, durability: "sync" });
    rig.join("c", { operations: 1 });
    await rig.clock.turn();
    expect(rig.kv.last.keys).toEqual(["a0", "a1", "b0"]);
    await rig.kv.last.succeed();
    expect(rig.kv.writes.map((write) => [write.keys, write.sync])).toEqual([
      [["a0", "a1", "b0"], true],
      [["c0"], false],
    ]);
  });

  it("never splits one join, however large it is", async () => {
    rig.join("small");
    rig.join("large", { operations: 10 });
    rig.join("next");
    await rig.clock.turn();
    expect(rig.kv.last.keys).toHaveLength(11);
    await rig.kv.last.succeed();
    expect(rig.kv.last.keys).toEqual(["next0"]);
  });

  it("queues sealed writes in order while one is under way", async () => {
    rig.join("a");
    await rig.clock.turn();
    for (const name of ["b", "c", "d", "e"]) rig.join(name, { operations: 2 });
    for (let i = 0; i < 3; i += 1) await rig.kv.last.succeed();
    expect(rig.kv.writes.map((write) => write.keys)).toEqual([
      ["a0"],
      ["b0", "b1", "c0", "c1"],
      ["d0", "d1", "e0", "e1"],
    ]);
    expect(rig.heard).toEqual(["a", "written", "b", "c", "written", "d", "e", "written"]);
  });
});

describe("settled()", () => {
  it("resolves at once when the committer is idle, also when something was staged for nobody", async () => {
    await expect(rig.committer.settled()).resolves.toBeUndefined();
    rig.committer.stage();
    await expect(rig.committer.settled()).resolves.toBeUndefined();
    expect(rig.clock.waiting).toBe(0);
  });

  it("waits for everything joined up to now, and for nothing that comes later", async () => {
    rig.join("a");
    await rig.clock.turn();
    rig.join("b");
    const settled = rig.committer.settled().then(() => rig.heard.push("settled"));
    await rig.kv.last.succeed();
    rig.join("c");
    expect(rig.heard).toEqual(["a", "written"]);
    await rig.kv.last.succeed();
    expect(rig.heard).toEqual(["a", "written", "b", "written", "settled"]);
    await settled;
  });

  it("waits for the write under way alone when nothing gathers", async () => {
    rig.join("a");
    await rig.clock.turn();
    const settled = rig.committer.settled();
    await rig.kv.last.succeed();
    await expect(settled).resolves.toBeUndefined();
  });

  it("waits for writes that are not begun", async () => {
    rig.join("a");
    const settled = rig.committer.settled().then(() => rig.heard.push("settled"));
    await drainMicrotasks();
    expect(rig.heard).toEqual([]);
    await rig.clock.turn();
    await rig.kv.last.succeed();
    await settled;
    expect(rig.heard).toContain("settled");
  });
});
