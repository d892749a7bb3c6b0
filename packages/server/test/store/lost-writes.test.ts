import { instant } from "@millrace/protocol/ids";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../src/base/logger.ts";
import { MemoryKv } from "../../src/kv/memory-kv.ts";
import { Store } from "../../src/store/store.ts";

function open(kv: MemoryKv, boot: string | undefined): Promise<Store> {
  return Store.open(kv, { now: instant(1000), logger: silentLogger, boot });
}

async function repair(kv: MemoryKv, store: Store): Promise<void> {
  const batch = kv.batch();
  store.aftermath.markRepaired(batch);
  await batch.write({ sync: true });
}

describe("whether a life may have lost writes", () => {
  it("is no for a fresh store and after an orderly end, whatever the boot", async () => {
    const kv = new MemoryKv();
    const first = await open(kv, "monday");
    await first.aftermath.markClean();
    const second = await open(kv, "tuesday");
    expect([first.aftermath.mayHaveLostWrites, second.aftermath.mayHaveLostWrites]).toEqual([false, false]);
  });

  it("is no after a crash of the process, in the same boot", async () => {
    const kv = new MemoryKv();
    await open(kv, "monday");
    expect((await open(kv, "monday")).aftermath.mayHaveLostWrites).toBe(false);
  });

  it("is yes after another boot, and when the boot is not known", async () => {
    const kv = new MemoryKv();
    await open(kv, "monday");
    expect((await open(kv, "tuesday")).aftermath.mayHaveLostWrites).toBe(true);
    const other = new MemoryKv();
    await open(other, undefined);
    expect((await open(other, undefined)).aftermath.mayHaveLostWrites).toBe(true);
  });

  it("stays yes over a crash until what was lost is put right", async () => {
    const kv = new MemoryKv();
    await open(kv, "monday");
    await open(kv, "tuesday");
    const again = await open(kv, "tuesday");
    expect(again.aftermath.mayHaveLostWrites).toBe(true);
    await repair(kv, again);
    expect((await open(kv, "tuesday")).aftermath.mayHaveLostWrites).toBe(false);
  });
});
