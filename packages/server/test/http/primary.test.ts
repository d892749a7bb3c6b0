import { once } from "node:events";
import { QueueError } from "@millrace/protocol/errors";
import { decodeMsgpack } from "@millrace/protocol/msgpack";
import { describe, expect, it } from "vitest";
import { BrokenInvariant } from "../../src/base/assert.ts";
import { ID } from "./job-fixtures.ts";
import { protocols, type Reply, ServerUnderTest } from "./server-under-test.ts";

function codeOf(reply: Reply): unknown {
  return [reply.status, JSON.parse(reply.text).code];
}

describe.each(protocols)("over %s", (protocol) => {
  describe("a reply", () => {
    it("has its exact content type and its length", async () => {
      const server = await ServerUnderTest.start();
      const inJson = await server.request(protocol, "/version");
      expect(inJson.text).toBe('{"version":"0.7.3","server":"millrace/0.1.0"}');
      expect(inJson.headers).toMatchObject({ "content-type": "application/json", "content-length": "45" });
      const inMsgpack = await server.request(protocol, "/version", { headers: { accept: "application/msgpack" } });
      expect(inMsgpack.headers["content-type"]).toBe("application/msgpack");
      expect(decodeMsgpack(inMsgpack.bytes)).toEqual({ version: "0.7.3", server: "millrace/0.1.0" });
    });

    it.each([
      ["DELETE", `/jobs/${ID}`, undefined],
      ["POST", `/jobs/${ID}/success`, undefined],
      ["POST", "/jobs/success", JSON.stringify({ ids: [ID] })],
    ])("to %s %s is 204 with neither body nor type, in both formats", async (method, path, body) => {
      const server = await ServerUnderTest.start();
      for (const accept of ["application/json", "application/msgpack"]) {
        const reply = await server.request(protocol, path, { method, headers: { accept }, ...(body && { body }) });
        expect([reply.status, reply.text]).toEqual([204, ""]);
        expect(reply.headers).not.toHaveProperty("content-type");
        expect(reply.headers).not.toHaveProperty("content-length");
      }
      expect((await server.request(protocol, "/health")).status).toBe(200);
    });

    it("to HEAD has the headers of GET and no body", async () => {
      const server = await ServerUnderTest.start();
      const get = await server.request(protocol, "/health");
      const head = await server.request(protocol, "/health", { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
      expect(head.headers["content-type"]).toBe("application/json");
      expect((await server.request(protocol, "/nothing", { method: "HEAD" })).status).toBe(404);
    });
  });

  describe("a refusal", () => {
    it("of another method is 405, empty, and names those that are allowed", async () => {
      const server = await ServerUnderTest.start();
      const reply = await server.request(protocol, "/jobs", { method: "PUT", body: "x" });
      expect([reply.status, reply.text]).toEqual([405, ""]);
      expect(reply.headers["allow"]).toBe("POST, GET, HEAD, PATCH, DELETE");
      expect(reply.headers).not.toHaveProperty("content-type");
    });

    it("of a path is 404 in the negotiated format", async () => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await server.request(protocol, "/nothing"))).toEqual([404, "ROUTE_NOT_FOUND"]);
      const packed = await server.request(protocol, "/nothing", { headers: { accept: "application/msgpack" } });
      expect(packed.headers["content-type"]).toBe("application/msgpack");
      expect(decodeMsgpack(packed.bytes)).toMatchObject({ code: "ROUTE_NOT_FOUND", error: expect.any(String) });
    });

    it("of Accept is 406 in JSON and comes before that of the path", async () => {
      const server = await ServerUnderTest.start();
      for (const path of ["/health", "/nothing", "/jobs"]) {
        const reply = await server.request(protocol, path, { headers: { accept: "text/html" } });
        expect(codeOf(reply)).toEqual([406, "NOT_ACCEPTABLE"]);
        expect(JSON.parse(reply.text).supported).toEqual(["application/json", "application/msgpack"]);
        expect(reply.headers["content-type"]).toBe("application/json");
      }
      const exempt = await server.request(protocol, "/metrics", { headers: { accept: "text/plain" } });
      expect(codeOf(exempt)).toEqual([400, "NOT_SUPPORTED"]);
    });

    it("of Content-Type is 415, after the path and before the body", async () => {
      const server = await ServerUnderTest.start({ settings: { bodyBytesMax: 4 } });
      const text = { "content-type": "text/plain" };
      for (const path of ["/jobs", "/jobs/bulk", "/jobs/success", "/jobs/x/failure", "/jobs/x/success"]) {
        const reply = await server.request(protocol, path, { method: "POST", headers: text, body: "hello" });
        expect(codeOf(reply)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
        expect(JSON.parse(reply.text).supported).toEqual(["application/json", "application/msgpack"]);
      }
      const nowhere = await server.request(protocol, "/nothing", { method: "POST", headers: text, body: "hello" });
      expect(nowhere.status).toBe(404);
      const packed = await server.request(protocol, "/jobs", {
        method: "POST",
        headers: { ...text, accept: "application/msgpack" },
        body: "hello",
      });
      expect(decodeMsgpack(packed.bytes)).toMatchObject({ code: "UNSUPPORTED_MEDIA_TYPE" });
    });

    it.each([
      ["PATCH", "/jobs"],
      ["DELETE", "/jobs"],
      ["PATCH", "/jobs/x"],
      ["POST", "/reset"],
      ["GET", "/budgets"],
      ["PUT", "/budgets/b"],
      ["GET", "/crons"],
      ["PUT", "/crons/g/entries/e"],
      ["GET", "/queues/q"],
      ["GET", "/queues?detail=1"],
      ["GET", "/metrics"],
      ["GET", "/events"],
      ["GET", "/openapi.json"],
      ["POST", "/jobs/x/retry"],
      ["POST", "/jobs/x/cancel"],
      ["POST", "/jobs/x/heartbeat"],
      ["POST", "/jobs/x/progress"],
      ["POST", "/jobs/x/log"],
      ["GET", "/jobs/x/result"],
      ["GET", "/jobs?filter=.a"],
      ["GET", "/jobs/count?tags=a"],
      ["GET", "/jobs/take?control=1"],
    ])("of what is known and not built is NOT_SUPPORTED: %s %s", async (method, path) => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await server.request(protocol, path, { method }))).toEqual([400, "NOT_SUPPORTED"]);
      expect(server.verbs.streams).toEqual([]);
    });

    it.each([
      ["GET", "/health?x=1"],
      ["GET", "/jobs?limit=0"],
      ["GET", "/jobs?limit=2001"],
      ["GET", "/jobs?limit=50&limit=50"],
      ["GET", "/jobs?order=up"],
      ["GET", "/jobs?id=short"],
      ["GET", "/jobs/count?limit=1"],
      ["GET", "/jobs/count?from=x"],
      ["GET", "/jobs/x?a"],
      ["GET", "/jobs/x/errors?from=-1"],
      ["GET", "/jobs/take?prefetch=x"],
      ["GET", "/jobs/take?id=x"],
      ["GET", "/jobs/take?queue=a&queue=b"],
      ["DELETE", "/jobs/x?force=1"],
      ["POST", "/jobs/x/success?x"],
    ])("of a query is INVALID_QUERY: %s %s", async (method, path) => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await server.request(protocol, path, { method }))).toEqual([400, "INVALID_QUERY"]);
    });

    it.each([
      "/jobs/x/errors/abc",
      "/jobs/x/errors/-1",
      "/jobs/x/errors/1.5",
      "/jobs/x/errors/4294967296",
      "/jobs/%zz",
    ])("of a path parameter is INVALID_PATH: %s", async (path) => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await server.request(protocol, path))).toEqual([400, "INVALID_PATH"]);
    });

    it("by the engine has the status of its code", async () => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await server.request(protocol, "/jobs/of-any-form"))).toEqual([404, "JOB_NOT_FOUND"]);
      server.verbs.succeed = async () => {
        throw new QueueError("STALE_DELIVERY", "handed out again");
      };
      const stale = await server.request(protocol, `/jobs/${ID}/success`, { method: "POST" });
      expect(codeOf(stale)).toEqual([409, "STALE_DELIVERY"]);
    });

    it("of what nobody foresaw is a generic 500, and its cause goes to the log only", async () => {
      const server = await ServerUnderTest.start();
      server.verbs.count = async () => {
        throw new TypeError("secret of the house");
      };
      const reply = await server.request(protocol, "/jobs/count");
      expect(codeOf(reply)).toEqual([500, "INTERNAL"]);
      expect(reply.text).not.toContain("secret");
      const lines = server.log.filter(({ level }) => level === "error");
      expect(lines).toHaveLength(1);
      expect(lines[0]?.fields["error"]).toContain("secret of the house");
      expect((await server.request(protocol, "/health")).status).toBe(200);
    });
  });

  it("a broken invariant is answered with 500 and ends the process", async () => {
    const server = await ServerUnderTest.start();
    server.verbs.count = async () => {
      throw new BrokenInvariant("a count below zero");
    };
    const others = process.rawListeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    const unhandled = once(process, "unhandledRejection");
    try {
      expect(codeOf(await server.request(protocol, "/jobs/count"))).toEqual([500, "INTERNAL"]);
      expect((await unhandled)[0]).toBeInstanceOf(BrokenInvariant);
    } finally {
      for (const listener of others) process.on("unhandledRejection", listener as NodeJS.UnhandledRejectionListener);
    }
  });

  it("a body that no route wants leaves the connection usable", async () => {
    const server = await ServerUnderTest.start();
    const body = "x".repeat(300_000);
    for (let i = 0; i < 10; i += 1) {
      expect((await server.request(protocol, "/nothing", { method: "POST", body })).status).toBe(404);
      expect((await server.request(protocol, "/health", { method: "POST", body })).status).toBe(405);
      expect((await server.request(protocol, "/health", { method: "GET", body })).status).toBe(200);
    }
  });

  it("each request leaves one line in the log, without its query", async () => {
    const server = await ServerUnderTest.start();
    await server.request(protocol, "/jobs/count?queue=secret");
    const lines = server.log.filter(({ target }) => target === "millrace.api.primary");
    expect(lines).toMatchObject([
      { level: "debug", fields: { method: "GET", path: "/jobs/count", status: 200, latency_ms: 0 } },
    ]);
  });
});
