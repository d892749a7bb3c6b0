import { encodeMsgpack } from "@millrace/protocol/msgpack";
import { describe, expect, it } from "vitest";
import { ID } from "./job-fixtures.ts";
import { protocols, type Reply, ServerUnderTest } from "./server-under-test.ts";

function codeOf(reply: Reply): unknown {
  return [reply.status, JSON.parse(reply.text).code];
}

describe.each(protocols)("over %s", (protocol) => {
  const post = (server: ServerUnderTest, path: string, body?: unknown, headers = {}) => {
    const bytes = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    return server.request(protocol, path, { method: "POST", headers, ...(bytes !== undefined && { body: bytes }) });
  };

  describe("a success", () => {
    it("needs no body, whatever its type would be", async () => {
      const server = await ServerUnderTest.start();
      expect((await post(server, `/jobs/${ID}/success`)).status).toBe(204);
      expect((await post(server, `/jobs/${ID}/success`, "", { "content-type": "text/plain" })).status).toBe(204);
      expect(server.verbs.acks).toEqual([
        { id: ID, delivery: undefined },
        { id: ID, delivery: undefined },
      ]);
    });

    it("takes the delivery from the body or the query, but not two", async () => {
      const server = await ServerUnderTest.start();
      const path = `/jobs/${ID}/success`;
      await post(server, path, { delivery: "a" });
      await post(server, `${path}?delivery=b`);
      await post(server, `${path}?delivery=c`, { delivery: "c" });
      expect(server.verbs.acks.map(({ delivery }) => delivery)).toEqual(["a", "b", "c"]);
      const both = await post(server, `${path}?delivery=d`, { delivery: "e" });
      expect(codeOf(both)).toEqual([400, "INVALID_FIELD"]);
      expect(server.verbs.acks).toHaveLength(3);
    });

    it("reads a body of MessagePack, and refuses one that it cannot read", async () => {
      const server = await ServerUnderTest.start();
      const body = Buffer.from(encodeMsgpack({ delivery: "a" }));
      const headers = { "content-type": "application/msgpack" };
      await server.request(protocol, `/jobs/${ID}/success`, { method: "POST", headers, body });
      expect(server.verbs.acks).toEqual([{ id: ID, delivery: "a" }]);
      expect(codeOf(await post(server, `/jobs/${ID}/success`, "{"))).toEqual([400, "MALFORMED_BODY"]);
      const text = await post(server, `/jobs/${ID}/success`, "hello", { "content-type": "text/plain" });
      expect(codeOf(text)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    });

    it("of many names what could not be settled", async () => {
      const server = await ServerUnderTest.start();
      expect((await post(server, "/jobs/success", { ids: ["a", "b"] })).status).toBe(204);
      expect(server.verbs.acks.map(({ id }) => id)).toEqual(["a", "b"]);
      server.verbs.succeedMany = async () => ({ notFound: ["a"], stale: ["b"] });
      const reply = await post(server, "/jobs/success", { acks: [{ id: "a" }, { id: "b", delivery: "x" }] });
      expect(reply.status).toBe(422);
      expect(JSON.parse(reply.text)).toEqual({
        error: expect.any(String),
        code: "SOME_NOT_IN_FLIGHT",
        not_found: ["a"],
        stale: ["b"],
      });
    });

    it("of none is refused", async () => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await post(server, "/jobs/success", { ids: [] }))).toEqual([400, "INVALID_FIELD"]);
      expect(codeOf(await post(server, "/jobs/success?delivery=x", { ids: ["a"] }))).toEqual([400, "INVALID_QUERY"]);
      expect(server.verbs.acks).toEqual([]);
    });
  });

  describe("a failure", () => {
    it("is answered with the job in its new state", async () => {
      const server = await ServerUnderTest.start();
      const reply = await post(server, `/jobs/${ID}/failure?delivery=d`, { message: "boom", kill: true });
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toMatchObject({ status: "scheduled", phase: "retry", attempts: 1 });
      expect(JSON.parse(reply.text)).not.toHaveProperty("payload");
      expect(server.verbs.failures).toMatchObject([
        { ack: { id: ID, delivery: "d" }, failure: { message: "boom", kill: true } },
      ]);
    });

    it("without a message, or with two deliveries, is refused", async () => {
      const server = await ServerUnderTest.start();
      expect(codeOf(await post(server, `/jobs/${ID}/failure`, {}))).toEqual([400, "INVALID_FIELD"]);
      const both = await post(server, `/jobs/${ID}/failure?delivery=d`, { message: "m", delivery: "e" });
      expect(codeOf(both)).toEqual([400, "INVALID_FIELD"]);
      expect(server.verbs.failures).toEqual([]);
    });
  });
});
