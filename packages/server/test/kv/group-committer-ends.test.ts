import { beforeEach, describe, expect, it } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { CommitterRig } from "./committer-rig.ts";

let rig: CommitterRig;

beforeEach(() => {
  rig = new CommitterRig();
});

describe("a failed write", () => {
  it("refuses its own waiters, those that gathered, and later ones, each exactly once, and tells the owner once", async () => {
    rig.join("writing", { durability: "sync" });
    await rig.clock.turn();
    rig.join("gathering");
    const settled = rig.committer.settled();
    settled.catch(() => {});
    await rig.kv.last.fail("disk on fire");
    rig.join("later");
    await rig.clock.turn();
    await rig.clock.turn();
    const code = "STORAGE_UNAVAILABLE";
    expect(rig.heard).toEqual([`writing ${code}`, `gathering ${code}`, "poison disk on fire", `later ${code}`]);
    await expect(settled).rejects.toMatchObject({ code });
    await expect(rig.committer.settled()).rejects.toMatchObject({ code, cause: "disk on fire" });
    const late = rig.committer.commit("sync");
    late.catch(() => {});
    await rig.clock.turn();
    await expect(late).rejects.toMatchObject({ code, cause: "disk on fire" });
    expect(rig.kv.writes).toHaveLength(1);
  });

  it("refuses sealed writes that queue behind it as well", async () => {
    rig = new CommitterRig(1);
    for (const name of ["a", "b", "c"]) rig.join(name);
    await rig.clock.turn();
    await rig.kv.last.fail("gone");
    expect(rig.heard).toEqual([..."abc"].map((name) => `${name} STORAGE_UNAVAILABLE`).concat("poison gone"));
    expect(rig.kv.discarded).toBe(2);
  });

  it("never calls a waiter inside its own join", async () => {
    rig.join("a");
    await rig.clock.turn();
    await rig.kv.last.fail("gone");
    rig.heard.length = 0;
    rig.join("later");
    expect(rig.heard).toEqual([]);
    await rig.clock.turn();
    expect(rig.heard).toEqual(["later STORAGE_UNAVAILABLE"]);
  });

  it("takes operations that lead nowhere", async () => {
    rig.join("a");
    await rig.clock.turn();
    await rig.kv.last.fail("gone");
    const batch = rig.committer.stage();
    batch.put(Buffer.from("x"), Buffer.from("v"));
    batch.del(Buffer.from("y"));
    batch.discard();
    expect(batch.size).toBe(0);
    await expect(batch.write({ sync: true })).rejects.toThrow(BrokenInvariant);
  });
});

describe("a waiter that throws", () => {
  it("ends the process with its error as the cause, but not before the others heard", async () => {
    const fault = new RangeError("a bug of ours");
    rig.join("a", {
      onDurable: () => {
        throw fault;
      },
    });
    rig.join("b");
    await rig.clock.turn();
    await rig.kv.last.succeed();
    expect(rig.heard).toEqual(["a", "b", "written"]);
    await expect(rig.clock.turn()).rejects.toMatchObject({ name: "BrokenInvariant", cause: fault });
  });
});

describe("stop()", () => {
  it("writes what was gathered, then refuses", async () => {
    rig.join("a");
    await rig.clock.turn();
    rig.join("b");
    const stopped = rig.committer.stop().then(() => rig.heard.push("stopped"));
    rig.join("late");
    await rig.clock.turn();
    expect(rig.heard).toEqual(["late SHUTTING_DOWN"]);
    await rig.kv.last.succeed();
    await rig.kv.last.succeed();
    await stopped;
    expect(rig.heard).toEqual(["late SHUTTING_DOWN", "a", "written", "b", "written", "stopped"]);
    expect(rig.kv.writes.map((write) => write.keys)).toEqual([["a0"], ["b0"]]);
  });

  it("writes also what was gathered and not yet begun", async () => {
    rig.join("a");
    const stopped = rig.committer.stop();
    await rig.clock.turn();
    await rig.kv.last.succeed();
    await stopped;
    expect(rig.heard).toEqual(["a", "written"]);
  });

  it("resolves at once when idle, twice, and also after a failure", async () => {
    await rig.committer.stop();
    await rig.committer.stop();
    await expect(rig.committer.settled()).resolves.toBeUndefined();
    rig = new CommitterRig();
    rig.join("a");
    await rig.clock.turn();
    await rig.kv.last.fail("gone");
    await expect(rig.committer.stop()).resolves.toBeUndefined();
    rig.join("late");
    await rig.clock.turn();
    expect(rig.heard.at(-1)).toBe("late STORAGE_UNAVAILABLE");
  });

  it("refuses as unavailable what fails while it stops", async () => {
    rig.join("a");
    await rig.clock.turn();
    const stopped = rig.committer.stop();
    await rig.kv.last.fail("gone");
    await stopped;
    expect(rig.heard).toEqual(["a STORAGE_UNAVAILABLE", "poison gone"]);
  });
});
