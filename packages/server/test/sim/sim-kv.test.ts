import { describe, expect, test } from "vitest";
import { SystemClock } from "../../src/base/system-clock.ts";
import type { Kv } from "../../src/kv/kv.ts";
import { exerciseKv } from "../conformance/kv.ts";
import { SimClock } from "./sim-clock.ts";
import { SimDisk } from "./sim-disk.ts";
import { calmDisk, type DiskWeather, SimKv, type WriteFate } from "./sim-kv.ts";

exerciseKv("SimKv", async () => {
  // Nobody drives a simulated clock here, so the drive lives on the system's time, without delays.
  const clock = new SystemClock();
  const disk = new SimDisk();
  const open = (): SimKv => new SimKv({ disk, clock });
  let kv = open();
  return {
    kv,
    async crash() {
      kv.die(false);
      kv = open();
      return kv;
    },
    async dispose() {
      await kv.close();
    },
  };
});

describe("a simulated disk", () => {
  test("keeps what was written, synced or not, when the process dies", async () => {
    const box = new Box();
    await box.put("synced", true);
    await box.put("unsynced", false);
    box.kv.die(false);
    expect(box.present(["synced", "unsynced"])).toEqual(["synced", "unsynced"]);
  });

  test("may lose in a power cut any write that was not synced, also one older than a synced one", async () => {
    const box = new Box();
    await box.put("old", false);
    await box.put("synced", true);
    await box.put("new", false);
    box.kv.die(false);
    let asked = 0;
    const lost = box.disk.cutPower(() => {
      asked += 1;
      return asked === 1;
    });
    expect(lost).toBe(1);
    expect(box.present(["old", "synced", "new"])).toEqual(["synced", "new"]);
  });

  test("keeps for good what a store found when it was opened", async () => {
    const box = new Box();
    await box.put("unsynced", false);
    box.kv.die(false);
    box.disk.settle();
    expect(box.disk.cutPower(() => true)).toBe(0);
    expect(box.present(["unsynced"])).toEqual(["unsynced"]);
  });

  test.each([
    { lands: true, found: ["a", "b"] },
    { lands: false, found: [] },
  ])("has all or nothing of the write in flight when the process dies (lands: $lands)", async ({ lands, found }) => {
    const box = new Box({ writeMs: () => 100 });
    let isAnswered = false;
    void box.begin(["a", "b"], true).then(() => {
      isAnswered = true;
    });
    await box.clock.run(box.clock.now() + 10);
    box.kv.die(lands);
    box.life.end();
    await box.clock.run(box.clock.now() + 1000);
    expect(box.present(["a", "b"])).toEqual(found);
    expect(isAnswered).toBe(false);
  });

  test("promises safety from a power cut only when a synced write has returned", async () => {
    const box = new Box({ writeMs: () => 100 });
    void box.begin(["a"], true);
    await box.clock.run(box.clock.now() + 60);
    expect(box.present(["a"])).toEqual(["a"]);
    box.kv.die(false);
    expect(box.disk.cutPower(() => true)).toBe(1);
    expect(box.present(["a"])).toEqual([]);
  });

  test.each<{ fate: WriteFate; found: string[] }>([
    { fate: "refused", found: [] },
    { fate: "refused but written", found: ["a"] },
  ])("may have written what it refused (fate: $fate)", async ({ fate, found }) => {
    const box = new Box({ fate: () => fate });
    await expect(box.put("a", true)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(box.present(["a"])).toEqual(found);
  });

  test("refuses everything after a persistent failure, until the store is opened anew", async () => {
    const fates: WriteFate[] = ["refused"];
    const box = new Box({ fate: () => fates.pop() ?? "written", refusesOnceRefused: true });
    await expect(box.put("a", true)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await expect(box.put("b", true)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    box.reopen();
    await box.put("c", true);
    expect(box.present(["a", "b", "c"])).toEqual(["c"]);
  });
});

/** A drive, a clock, and a process that writes one key at a time. */
class Box {
  readonly clock = new SimClock();
  readonly life = this.clock.life();
  readonly disk = new SimDisk();
  readonly #weather: DiskWeather;
  kv: SimKv;

  constructor(weather: Partial<DiskWeather> = {}) {
    this.#weather = { ...calmDisk, ...weather };
    this.kv = this.#open();
  }

  reopen(): void {
    this.kv.die(false);
    this.kv = this.#open();
  }

  async put(key: string, sync: boolean): Promise<void> {
    const written = this.begin([key], sync);
    written.catch(() => undefined);
    await this.clock.run(this.clock.now() + 10);
    await written;
  }

  begin(keys: readonly string[], sync: boolean): Promise<void> {
    const batch = this.kv.batch();
    for (const key of keys) batch.put(Buffer.from(key), Buffer.from("value"));
    return batch.write({ sync });
  }

  /** Which of the keys another process would find. */
  present(keys: readonly string[]): string[] {
    const kv: Kv = this.#open();
    return keys.filter((key) => kv.get(Buffer.from(key)) !== undefined);
  }

  #open(): SimKv {
    return new SimKv({ disk: this.disk, clock: this.life, weather: this.#weather });
  }
}
