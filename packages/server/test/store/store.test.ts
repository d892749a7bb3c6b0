import { instant } from "@millrace/protocol/ids";
import { beforeEach, describe, expect, it } from "vitest";
import { errorKey, idKey, tags } from "../../src/store/keyspace.ts";
import {
  completedJob,
  deadJob,
  errorOf,
  idOf,
  inFlightJob,
  payloadOf,
  readyJob,
  scheduledJob,
} from "./fixture-jobs.ts";
import { itemsOf, keysIn, openStore, pagesOf, type StoreRig } from "./fixture-store.ts";

let rig: StoreRig;

beforeEach(async () => {
  rig = await openStore();
});

const small = payloadOf('{"image":17}');
const large = payloadOf(JSON.stringify("x".repeat(5000)));

describe("a live job", () => {
  it("is one record while it waits, and gives back what it was", async () => {
    const job = scheduledJob({ readyAt: 2n ** 63n, options: { retryLimit: 3 } });
    await rig.write((batch) => rig.store.putLive(batch, job, small));
    expect(await keysIn(rig.kv)).toEqual(["L"]);
    expect(rig.store.live(job.id)).toEqual({ job, payload: small });
    expect(rig.store.payload(job.id)).toEqual(small);
    expect(rig.store.finished(job.id)).toBeUndefined();
  });

  it("costs four operations in its life: record, claim, and their deletion", async () => {
    const job = readyJob();
    const held = inFlightJob();
    let operations = 0;
    await rig.write((batch) => {
      rig.store.putLive(batch, job, small);
      operations += batch.size;
    });
    await rig.write((batch) => {
      rig.store.putClaim(batch, held);
      operations += batch.size;
    });
    expect(await keysIn(rig.kv)).toEqual(["C", "L"]);
    await rig.write((batch) => {
      rig.store.removeLive(batch, held);
      operations += batch.size;
    });
    expect([operations, await keysIn(rig.kv)]).toEqual([4, []]);
  });

  it.each([
    [1023, ["L"]],
    [1024, ["L"]],
    [1025, ["L", "P"]],
  ])("with a payload of %s bytes is stored as %s", async (length, keys) => {
    const payload = { format: "msgpack" as const, bytes: Buffer.alloc(length, 7) };
    await rig.write((batch) => rig.store.putLive(batch, readyJob(), payload));
    expect(await keysIn(rig.kv)).toEqual(keys);
    const next = await rig.reopen();
    expect(next.store.payload(idOf(1))).toEqual(payload);
    expect(next.store.live(idOf(1))?.payload).toEqual(payload);
    await pagesOf(next.store.scanLive());
    expect(next.store.payload(idOf(1))).toEqual(payload);
    await next.write((batch) => next.store.removeLive(batch, readyJob()));
    expect(await keysIn(rig.kv)).toEqual([]);
  });

  it("is rewritten by a retry, its payload untouched where it stands", async () => {
    for (const [id, payload] of [
      [idOf(1), small],
      [idOf(2), large],
    ] as const) {
      const held = inFlightJob({ id });
      await rig.write((batch) => {
        rig.store.putLive(batch, readyJob({ id }), payload);
        rig.store.putClaim(batch, held);
      });
      const retry = scheduledJob({
        id,
        because: "retry",
        attempts: 1,
        dequeuedAt: held.dequeuedAt,
        failedAt: instant(9),
      });
      await rig.write((batch) => {
        expect(rig.store.rewriteLive(batch, retry)).toBe(true);
        rig.store.dropClaim(batch, id);
        rig.store.putError(batch, id, errorOf(1));
        expect(batch.size).toBe(3);
      });
      expect(rig.store.live(id)).toEqual({ job: retry, payload });
      expect(rig.store.error(id, 1)).toEqual(errorOf(1));
    }
    expect(await keysIn(rig.kv)).toEqual(["E", "E", "L", "L", "P"]);
    expect(await pagesOf(rig.store.scanClaims())).toEqual([]);
  });

  it("takes no delete of a claim that it cannot have", async () => {
    await rig.write((batch) => {
      rig.store.removeLive(batch, readyJob());
      expect(batch.size).toBe(1);
    });
    expect(await keysIn(rig.kv)).toEqual([]);
  });

  it("goes with its errors and its payload, wherever that stands", async () => {
    const job = readyJob({ attempts: 3 });
    await rig.write((batch) => {
      rig.store.putLive(batch, job, large);
      for (let attempt = 1; attempt <= 3; attempt += 1) rig.store.putError(batch, job.id, errorOf(attempt));
    });
    await rig.write((batch) => rig.store.removeLive(batch, job));
    expect(await keysIn(rig.kv)).toEqual([]);
  });
});

describe("a claim", () => {
  it("is held, then given back, and says when and how often", async () => {
    const held = inFlightJob({ lost: 2 });
    await rig.write((batch) => rig.store.putClaim(batch, held));
    const { dequeuedAt, delivery } = held;
    expect(await pagesOf(rig.store.scanClaims())).toEqual([
      { id: held.id, claim: { held: true, dequeuedAt, lost: 2, delivery } },
    ]);
    await rig.write((batch) => rig.store.giveBack(batch, readyJob({ dequeuedAt, lost: 3 })));
    const claim = { held: false, dequeuedAt, lost: 3, delivery: undefined };
    expect(await pagesOf(rig.store.scanClaims())).toEqual([{ id: held.id, claim }]);
  });

  it("of an earlier life is given back without counting a loss", async () => {
    const held = inFlightJob({ lost: 1 });
    await rig.write((batch) => rig.store.putClaim(batch, held));
    for (const { id, claim } of await pagesOf(rig.store.scanClaims())) {
      await rig.write((batch) => rig.store.giveBackAtStart(batch, id, claim));
    }
    const claim = { held: false, dequeuedAt: held.dequeuedAt, lost: 1, delivery: undefined };
    expect(await pagesOf(rig.store.scanClaims())).toEqual([{ id: held.id, claim }]);
  });
});

describe("a job that is over and kept", () => {
  it("moves from live to finished in one write, with index keys, and keeps payload and errors", async () => {
    for (const payload of [small, large]) {
      const rig = await openStore();
      const held = inFlightJob({ attempts: 1 });
      await rig.write((batch) => {
        rig.store.putLive(batch, readyJob(), payload);
        rig.store.putClaim(batch, held);
        rig.store.putError(batch, held.id, errorOf(1));
      });
      const job = completedJob({ attempts: 1, dequeuedAt: held.dequeuedAt });
      await rig.write((batch) => expect(rig.store.finish(batch, held, job)).toBe(true));
      const apart = payload === large ? ["P"] : [];
      expect(await keysIn(rig.kv)).toEqual([..."AEF", ...apart, ..."QST"]);
      expect(rig.store.finished(job.id)).toEqual({ job, payload });
      expect(rig.store.payload(job.id)).toEqual(payload);
      expect(rig.store.live(job.id)).toBeUndefined();
      await rig.write((batch) => rig.store.removeFinished(batch, job));
      expect(await keysIn(rig.kv)).toEqual([]);
    }
  });

  it("is found by the purge scan in the order of its time, with all that its deletion needs", async () => {
    const times = [50, 2n ** 64n - 1n, 10, 50, 2 ** 53 - 1];
    await rig.write((batch) => {
      for (const [n] of times.entries()) rig.store.putLive(batch, readyJob({ id: idOf(n) }), n === 0 ? large : small);
    });
    await rig.write((batch) => {
      for (const [n, purgeAt] of times.entries()) {
        rig.store.finish(
          batch,
          readyJob({ id: idOf(n) }),
          deadJob({ id: idOf(n), purgeAt, queue: `q${n}`, attempts: n }),
        );
      }
    });
    const found = await pagesOf(rig.store.scanPurge(instant(50)));
    expect(found.map(({ id }) => id)).toEqual([idOf(2), idOf(0), idOf(3)]);
    expect(found[1]).toEqual({
      purgeAt: 50,
      id: idOf(0),
      status: "dead",
      queue: "q0",
      type: "thumbnail",
      attempts: 0,
      apart: true,
    });
    expect(await pagesOf(rig.store.scanPurge(instant(50), found[1]))).toEqual(found.slice(2));
    expect(await pagesOf(rig.store.scanPurge(instant(9)))).toEqual([]);
    expect(await pagesOf(rig.store.scanPurge(instant(2 ** 53 - 2)))).toHaveLength(3);
    for (const entry of found) await rig.write((batch) => rig.store.removeFinished(batch, entry));
    expect(await keysIn(rig.kv)).toEqual([..."AAFFQQSSTT"]);
  });
});

describe("counts", () => {
  it("are put, changed and deleted at 0, for names of any length", async () => {
    const queue = "q".repeat(3000);
    await rig.write((batch) => {
      rig.store.putCount(batch, "dead", queue, "é", 3);
      rig.store.putCount(batch, "completed", "a", "b", 2 ** 40);
      rig.store.putCount(batch, "completed", "gone", "b", 1);
    });
    await rig.write((batch) => {
      rig.store.putCount(batch, "dead", queue, "é", 4);
      rig.store.putCount(batch, "completed", "gone", "b", 0);
    });
    expect(await itemsOf(rig.store.scanCounts())).toEqual([
      { status: "completed", queue: "a", type: "b", count: 2 ** 40 },
      { status: "dead", queue, type: "é", count: 4 },
    ]);
  });
});

describe("whole scans", () => {
  it("give all live jobs in id order, as of their snapshot", async () => {
    const jobs = Array.from({ length: 2500 }, (_, n) => readyJob({ id: idOf(n), queue: `queue-${n % 7}` }));
    await rig.write((batch) => {
      for (const job of jobs.toReversed()) rig.store.putLive(batch, job, small);
    });
    const snapshot = rig.store.snapshot();
    await rig.write((batch) => rig.store.removeLive(batch, readyJob({ id: idOf(0) })));
    expect(await pagesOf(rig.store.scanLive(snapshot))).toEqual(jobs);
    expect(rig.store.live(idOf(0), snapshot)?.job).toEqual(jobs[0]);
    expect(rig.store.live(idOf(0))).toBeUndefined();
    await snapshot.close();
  });

  it("know the largest id of live and finished jobs", async () => {
    expect(await rig.store.lastId()).toBeUndefined();
    await rig.write((batch) => rig.store.putLive(batch, readyJob({ id: idOf(5) }), small));
    expect(await rig.store.lastId()).toBe(idOf(5));
    await rig.write((batch) => rig.store.putLive(batch, readyJob({ id: idOf(9) }), small));
    await rig.write((batch) => rig.store.finish(batch, readyJob({ id: idOf(9) }), deadJob({ id: idOf(9) })));
    expect(await rig.store.lastId()).toBe(idOf(9));
  });

  it("find claims, errors and payloads whose job is gone, and only those", async () => {
    const held = inFlightJob({ id: idOf(1) });
    await rig.write((batch) => {
      rig.store.putLive(batch, readyJob({ id: idOf(1) }), large);
      rig.store.putClaim(batch, held);
      rig.store.putError(batch, idOf(1), errorOf(1));
      rig.store.putLive(batch, readyJob({ id: idOf(2) }), large);
      rig.store.putError(batch, idOf(2), errorOf(1));
    });
    await rig.write((batch) => rig.store.finish(batch, readyJob({ id: idOf(2) }), deadJob({ id: idOf(2) })));
    expect(await pagesOf(rig.store.aftermath.scanOrphans())).toEqual([]);
    await rig.write((batch) => {
      for (const tag of [tags.live, tags.finished] as const) {
        batch.del(idKey(tag, idOf(1)));
        batch.del(idKey(tag, idOf(2)));
      }
    });
    const orphans = await pagesOf(rig.store.aftermath.scanOrphans());
    expect(orphans.map(({ kind, id }) => [kind, id])).toEqual([
      ["claim", idOf(1)],
      ["error", idOf(1)],
      ["error", idOf(2)],
      ["payload", idOf(1)],
      ["payload", idOf(2)],
    ]);
    await rig.write((batch) => {
      for (const orphan of orphans) rig.store.aftermath.dropOrphan(batch, orphan);
    });
    expect(rig.kv.get(errorKey(idOf(1), 1))).toBeUndefined();
    expect(await pagesOf(rig.store.aftermath.scanOrphans())).toEqual([]);
  });
});
