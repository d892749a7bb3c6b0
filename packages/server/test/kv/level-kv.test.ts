import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LevelKv } from "../../src/kv/level-kv.ts";
import { exerciseKv } from "../conformance/kv.ts";

const options = { cacheBytes: 8 * 1024 * 1024 };

exerciseKv("LevelKv", async () => {
  const directory = await mkdtemp(join(tmpdir(), "millrace-kv-"));
  const opened: LevelKv[] = [];
  const open = async (name: string) => {
    const kv = await LevelKv.open(join(directory, name), options);
    opened.push(kv);
    return kv;
  };
  return {
    kv: await open("first"),
    // What a killed process leaves is what the operating system holds of its files at that moment.
    crash: async () => {
      await cp(join(directory, "first"), join(directory, "second"), { recursive: true });
      return await open("second");
    },
    dispose: async () => {
      for (const kv of opened) await kv.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});

describe("LevelKv", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "millrace-level-"));
  });

  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it("refuses a second open of a directory in one process, under any spelling, and leaves the first one working", async () => {
    const first = await LevelKv.open(join(directory, "store"), options);
    for (const spelling of ["store", "store/", "other/../store"]) {
      await expect(LevelKv.open(`${directory}/${spelling}`, options)).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        message: expect.stringContaining("already"),
      });
    }
    const batch = first.batch();
    batch.put(Buffer.from("a"), Buffer.from("1"));
    await batch.write({ sync: true });
    expect(first.get(Buffer.from("a"))?.toString()).toBe("1");
    await first.close();
  });

  it("can be opened again once it is closed, with everything in it", async () => {
    const first = await LevelKv.open(directory, options);
    const batch = first.batch();
    batch.put(Buffer.from("a"), Buffer.from("1"));
    await batch.write({ sync: false });
    await first.close();
    const second = await LevelKv.open(directory, options);
    expect(second.get(Buffer.from("a"))?.toString()).toBe("1");
    await second.close();
  });

  it("says that it cannot be opened, why, and lets go of the path", async () => {
    const path = join(directory, "file");
    await writeFile(path, "no directory");
    for (let i = 0; i < 2; i += 1) {
      await expect(LevelKv.open(path, options)).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        message: expect.stringMatching(/file.*EEXIST/),
        cause: expect.anything(),
      });
    }
  });

  it("lets go of the path when the files in it are no store", async () => {
    await writeFile(join(directory, "CURRENT"), "nonsense");
    for (let i = 0; i < 2; i += 1) {
      await expect(LevelKv.open(directory, options)).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        message: expect.stringContaining("cannot be opened"),
        cause: expect.anything(),
      });
    }
  });

  it("turns the library's errors into its own after it is closed", async () => {
    const kv = await LevelKv.open(directory, options);
    await kv.close();
    const unavailable = expect.objectContaining({ code: "STORAGE_UNAVAILABLE" });
    expect(() => kv.get(Buffer.from("a"))).toThrow(unavailable);
    expect(() => kv.batch()).toThrow(unavailable);
    expect(() => kv.snapshot()).toThrow(unavailable);
    await expect(kv.getMany([Buffer.from("a")])).rejects.toEqual(unavailable);
    const scan = kv.scan({ gte: Buffer.from([0]), lt: Buffer.from([255]) })[Symbol.asyncIterator]();
    await expect(scan.next()).rejects.toEqual(unavailable);
  });
});
