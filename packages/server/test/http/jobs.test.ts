import { decodeMsgpack, encodeMsgpack } from "@millrace/protocol/msgpack";
import { describe, expect, it } from "vitest";
import { ID } from "./job-fixtures.ts";
import { protocols, type Reply, ServerUnderTest } from "./server-under-test.ts";

const job = { type: "thumbnail", queue: "media", payload: { image: 17 } };
const json = { "content-type": "application/json" };
const msgpack = { "content-type": "application/msgpack", accept: "application/msgpack" };

function codeOf(reply: Reply): unknown {
  return [reply.status, JSON.parse(reply.text).code];
}

describe.each(protocols)("over %s", (protocol) => {
  describe("an enqueue", () => {
    it("is answered with 201 and the job without its payload", async () => {
      const server = await ServerUnderTest.start();
      const reply = await server.request(protocol, "/jobs", {
        method: "POST",
        headers: json,
        body: JSON.stringify(job),
      });
      expect(reply.status).toBe(201);
      expect(reply.text).toBe(
        `{"id":"${ID}","type":"thumbnail","queue":"media","priority":32768,"status":"ready",` +
          '"ready_at":1773464269527,"attempts":0,"duplicate":false,"folded":false}',
      );
      expect(server.verbs.enqueued).toMatchObject([[{ queue: "media", type: "thumbnail" }]]);
    });

    it("goes in and out as MessagePack", async () => {
      const server = await ServerUnderTest.start();
      const body = Buffer.from(encodeMsgpack({ ...job, queue: "ü", payload: 2n ** 64n - 1n }));
      const reply = await server.request(protocol, "/jobs", { method: "POST", headers: msgpack, body });
      expect(reply.status).toBe(201);
      expect(reply.headers["content-type"]).toBe("application/msgpack");
      expect(decodeMsgpack(reply.bytes)).toMatchObject({ id: ID, queue: "ü", duplicate: false });
      const stored = server.verbs.enqueued[0]?.[0]?.payload;
      expect(stored?.format).toBe("msgpack");
      expect(decodeMsgpack(stored?.bytes ?? Buffer.alloc(0))).toBe(2n ** 64n - 1n);
    });

    it("of a duplicate is answered with 200", async () => {
      const server = await ServerUnderTest.start();
      const enqueue = server.verbs.enqueue.bind(server.verbs);
      server.verbs.enqueue = async (requests) => {
        return (await enqueue(requests)).map((one) => ({ ...one, duplicate: one.job.queue === "media" }));
      };
      const post = (path: string, body: unknown) => {
        return server.request(protocol, path, { method: "POST", headers: json, body: JSON.stringify(body) });
      };
      expect((await post("/jobs", job)).status).toBe(200);
      expect((await post("/jobs/bulk", { jobs: [job, job] })).status).toBe(200);
      expect((await post("/jobs/bulk", { jobs: [job, { ...job, queue: "new" }] })).status).toBe(201);
    });

    it("of many keeps their order, and of none makes nothing", async () => {
      const server = await ServerUnderTest.start();
      const post = (jobs: unknown[]) => {
        const body = JSON.stringify({ jobs });
        return server.request(protocol, "/jobs/bulk", { method: "POST", headers: json, body });
      };
      const reply = await post([job, { ...job, queue: "b" }]);
      expect(reply.status).toBe(201);
      expect(JSON.parse(reply.text).jobs.map(({ queue }: { queue: string }) => queue)).toEqual(["media", "b"]);
      const none = await post([]);
      expect([none.status, none.text]).toEqual([201, '{"jobs":[]}']);
      expect(server.verbs.enqueued).toHaveLength(1);
    });

    it("that is malformed or incomplete stores nothing", async () => {
      const server = await ServerUnderTest.start();
      const post = (path: string, body: string) => server.request(protocol, path, { method: "POST", body });
      expect(codeOf(await post("/jobs", "{"))).toEqual([400, "MALFORMED_BODY"]);
      expect(codeOf(await post("/jobs", ""))).toEqual([400, "MALFORMED_BODY"]);
      expect(codeOf(await post("/jobs", '{"type":"t"}'))).toEqual([400, "INVALID_FIELD"]);
      const bulk = await post("/jobs/bulk", JSON.stringify({ jobs: [job, { ...job, queue: "a*" }] }));
      expect(JSON.parse(bulk.text)).toMatchObject({ code: "INVALID_NAME", index: 1 });
      expect(JSON.parse(bulk.text).error).toMatch(/^jobs\[1\]/);
      expect(server.verbs.enqueued).toEqual([]);
    });

    it("with an idempotency key is refused, never done without one", async () => {
      const server = await ServerUnderTest.start();
      const headers = { "idempotency-key": "k" };
      const reply = await server.request(protocol, "/jobs", { method: "POST", headers, body: JSON.stringify(job) });
      expect(codeOf(reply)).toEqual([400, "NOT_SUPPORTED"]);
      expect(server.verbs.enqueued).toEqual([]);
    });
  });

  describe("a look", () => {
    it("at one job shows its payload, in either format", async () => {
      const server = await ServerUnderTest.start();
      const reply = await server.request(protocol, `/jobs/${ID}`);
      expect(JSON.parse(reply.text)).toMatchObject({ id: ID, payload: { image: 17 } });
      const packed = await server.request(protocol, `/jobs/${ID}`, { headers: { accept: "application/msgpack" } });
      expect(decodeMsgpack(packed.bytes)).toEqual(JSON.parse(reply.text));
    });

    it("at a page has its links, through hostile filters", async () => {
      const server = await ServerUnderTest.start();
      const snapshot = await server.verbs.get(ID);
      const list = server.verbs.list.bind(server.verbs);
      server.verbs.list = async (query) => {
        await list(query);
        return { jobs: [snapshot], more: true };
      };
      const reply = await server.request(protocol, "/jobs?queue=b%26c,a+%23&limit=1&from=zz&order=desc&");
      const queue = "queue=a%20%23,b%26c";
      const { pages } = JSON.parse(reply.text);
      expect(pages).toEqual({
        self: `/jobs?from=zz&order=desc&limit=1&${queue}`,
        next: `/jobs?from=${ID}&order=desc&limit=1&${queue}`,
        prev: `/jobs?from=${ID}&order=asc&limit=1&${queue}`,
      });
      await server.request(protocol, pages.next);
      expect(server.verbs.lists[1]).toEqual({ ...server.verbs.lists[0], from: ID });
      const packed = await server.request(protocol, "/jobs", { headers: { accept: "application/msgpack" } });
      expect(decodeMsgpack(packed.bytes)).toMatchObject({ jobs: [{ id: ID }], pages: { prev: null } });
    });

    it("at an empty page, a bare question mark and a count", async () => {
      const server = await ServerUnderTest.start();
      const page = await server.request(protocol, "/jobs?");
      expect(page.text).toBe('{"jobs":[],"pages":{"self":"/jobs?order=asc&limit=50","next":null,"prev":null}}');
      expect((await server.request(protocol, "/jobs/count?")).text).toBe('{"count":42}');
      expect((await server.request(protocol, "/queues")).text).toBe('{"queues":["a","b"]}');
    });

    it("at errors pages by attempt, and one by its number", async () => {
      const server = await ServerUnderTest.start();
      const job = (await server.verbs.get(ID)).job;
      const at = server.clock.now();
      const record = { attempt: 3, message: "boom ü", errorType: "E", dequeuedAt: at, failedAt: at };
      server.verbs.errors = async () => ({ records: [record, { ...record, attempt: 2 }], more: true });
      server.verbs.error = async () => record;
      const page = await server.request(protocol, `/jobs/${job.id}/errors?from=4&order=desc&limit=2`);
      const view = { attempt: 3, message: "boom ü", error_type: "E", dequeued_at: at, failed_at: at };
      expect(JSON.parse(page.text)).toEqual({
        errors: [view, { ...view, attempt: 2 }],
        pages: {
          self: `/jobs/${ID}/errors?from=4&order=desc&limit=2`,
          next: `/jobs/${ID}/errors?from=2&order=desc&limit=2`,
          prev: `/jobs/${ID}/errors?from=3&order=asc&limit=2`,
        },
      });
      expect(JSON.parse((await server.request(protocol, `/jobs/${ID}/errors/3`)).text)).toEqual(view);
    });
  });
});
