import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { RawConnection } from "./raw-connection.ts";
import { protocols, ServerUnderTest } from "./server-under-test.ts";

const GET_HEALTH = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe("one port", () => {
  it.each(protocols)("answers %s", async (protocol) => {
    const server = await ServerUnderTest.start();
    const reply = await server.request(protocol, "/health");
    expect([reply.status, reply.text]).toEqual([200, '{"status":"ok"}']);
  });

  it("knows HTTP/2 by a preface that comes byte by byte", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    for (const byte of PREFACE) await connection.send(byte);
    await connection.send(EMPTY_SETTINGS);
    // A SETTINGS frame of the server and its acknowledgement of ours: type 4 in the fourth byte.
    const received = await connection.until((text) => text.length >= 9);
    expect(received.charCodeAt(3)).toBe(4);
  });

  it("knows HTTP/1.1 by a request that comes byte by byte, also one that begins like the preface", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    for (const byte of GET_HEALTH) await connection.send(byte);
    expect(await connection.until((text) => text.includes("ok"))).toMatch(/^HTTP\/1\.1 200 OK/);
    const other = await RawConnection.open(server.port);
    await other.send("P");
    await other.send("OST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    expect(await other.until((text) => text.includes("\r\n\r\n"))).toMatch(/^HTTP\/1\.1 405 /);
  });

  it("closes a connection that begins with TLS, and goes on serving others", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send(Buffer.from([0x16, 3, 1, 2, 0]));
    expect(await connection.closed()).toBe("");
    expect((await server.request("HTTP/1.1", "/health")).status).toBe(200);
  });

  it("gives up a connection that says nothing for a minute", async () => {
    const server = await ServerUnderTest.start();
    const silent = await RawConnection.open(server.port);
    await server.clock.untilSet(60_000);
    server.clock.advance(30_000);
    const stuck = await RawConnection.open(server.port);
    await stuck.send("PRI * HT");
    await server.clock.untilSet(60_000, 2);
    server.clock.advance(30_000);
    expect(await silent.closed()).toBe("");
    expect(stuck.socket.closed).toBe(false);
    server.clock.advance(30_000);
    expect(await stuck.closed()).toBe("");
  });

  it("survives connections that are reset before, in and after their first byte", async () => {
    const server = await ServerUnderTest.start();
    for (const first of ["", "P", "GET / HT", PREFACE]) {
      const connection = await RawConnection.open(server.port);
      await connection.send(first);
      connection.socket.resetAndDestroy();
      await connection.closed();
    }
    expect((await server.request("HTTP/2", "/health")).status).toBe(200);
  });

  it("answers pipelined requests in order", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send(`${GET_HEALTH}GET /version HTTP/1.1\r\nHost: x\r\n\r\n${GET_HEALTH}`);
    const text = await connection.until((received) => countOf(received, "HTTP/1.1 200 OK") === 3);
    expect(text.indexOf("0.7.3")).toBeGreaterThan(text.indexOf('"ok"'));
    expect(text.lastIndexOf('"ok"')).toBeGreaterThan(text.indexOf("0.7.3"));
  });
});

describe("malformed HTTP/1.1", () => {
  const head = "GET /health HTTP/1.1\r\nHost: x\r\n";
  it.each([
    ["a line that is no request", "hello\r\n\r\n", "INVALID_HEADER"],
    ["a header without a colon", `${head}broken\r\n\r\n`, "INVALID_HEADER"],
    ["a request without Host", "GET /health HTTP/1.1\r\n\r\n", "INVALID_HEADER"],
    ["two lengths", `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, "INVALID_HEADER"],
    ["a length and chunks", `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, "INVALID_HEADER"],
    ["an HTTP/2 preface that goes wrong", "PRI * HTTP/2.0\r\n\r\nSM\r\n\rX", "INVALID_HEADER"],
    [
      "a chunk size that is no number",
      "POST /jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "MALFORMED_BODY",
    ],
  ])("%s gets 400 with a JSON body", async (_what, bytes, code) => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send(bytes);
    const text = await connection.until((received) => received.includes("}"));
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(text).toContain("Content-Type: application/json\r\n");
    expect(JSON.parse(text.slice(text.indexOf("{")))).toMatchObject({ code, error: expect.any(String) });
    expect(server.verbs.enqueued).toEqual([]);
  });

  it("closes the connection after it", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send("hello\r\n\r\n");
    await once(connection.socket, "end");
    connection.socket.end();
    expect(await connection.closed()).toMatch(/Connection: close\r\n/);
  });

  it("does not answer into a stream that is already open", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send("GET /jobs/take HTTP/1.1\r\nHost: x\r\n\r\n");
    await server.verbs.until(() => server.verbs.streams.length === 1);
    await connection.send("garbage\r\n\r\n");
    expect(await connection.closed()).not.toContain("400");
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });
});

describe("the limit of target and headers", () => {
  const limit = 4096;

  it.each(protocols)("tells a long target (414) from large headers (431) over %s", async (protocol) => {
    const server = await ServerUnderTest.start({ headerBytesMax: limit });
    const target = await server.request(protocol, `/jobs?id=${"a".repeat(limit)}`);
    expect([target.status, JSON.parse(target.text).code]).toEqual([414, "URI_TOO_LONG"]);
    const headers = await server.request(protocol, "/jobs", { headers: { "x-long": "a".repeat(limit) } });
    expect([headers.status, JSON.parse(headers.text).code]).toEqual([431, "HEADERS_TOO_LARGE"]);
    expect(headers.headers["content-type"]).toBe("application/json");
    expect((await server.request(protocol, "/health")).status).toBe(200);
  });

  it("tells them apart also where Node's parser gives up", async () => {
    const server = await ServerUnderTest.start({ headerBytesMax: limit });
    const target = await RawConnection.open(server.port);
    await target.send(`GET /${"a".repeat(20_000)}`);
    expect(await target.until((text) => text.includes("}"))).toMatch(/^HTTP\/1\.1 414 .*"URI_TOO_LONG"}$/s);
    const headers = await RawConnection.open(server.port);
    await headers.send(`${GET_HEALTH.slice(0, -2)}x-long: ${"a".repeat(20_000)}`);
    expect(await headers.until((text) => text.includes("}"))).toMatch(/^HTTP\/1\.1 431 .*"HEADERS_TOO_LARGE"}$/s);
  });

  it.each(protocols)("lets 2,000 encoded ids pass over %s at the least limit that can be set", async (protocol) => {
    const server = await ServerUnderTest.start({ headerBytesMax: 64 * 1024 });
    const ids = Array.from({ length: 2000 }, (_, i) => `03fr82s077azjmurys29q${String(i).padStart(4, "0")}`);
    const reply = await server.request(protocol, `/jobs?limit=2000&id=${ids.join("%2C")}`);
    expect(reply.status).toBe(200);
    expect(server.verbs.lists[0]?.filter.ids?.size).toBe(2000);
  });
});

describe("keep-alive", () => {
  it("goes on after 204, after errors of every kind and after bodies that nobody read", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    const json = "Content-Type: application/json\r\n";
    const requests = [
      ["DELETE /jobs/x HTTP/1.1\r\nHost: x\r\n\r\n", 204],
      ["GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", 404],
      ["PUT /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405],
      ["GET /health HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n", 406],
      ["POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello", 415],
      [`POST /jobs HTTP/1.1\r\nHost: x\r\n${json}Content-Length: 1\r\n\r\n{`, 400],
      ["POST /jobs/x/success HTTP/1.1\r\nHost: x\r\n\r\n", 204],
      [GET_HEALTH, 200],
    ] as const;
    let seen = 0;
    for (const [bytes, status] of requests) {
      await connection.send(bytes);
      seen += 1;
      const text = await connection.until(
        (received) => countOf(received, "HTTP/1.1 ") === seen && /\r\n\r\n/.test(received),
      );
      expect(text.slice(text.lastIndexOf("HTTP/1.1 "))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text).not.toContain("Connection: close");
    }
  });
});

describe("closing", () => {
  it("ends idle connections at once", async () => {
    const server = await ServerUnderTest.start();
    const idle = await RawConnection.open(server.port);
    await idle.send(GET_HEALTH);
    await idle.until((text) => text.includes("ok"));
    const silent = await RawConnection.open(server.port);
    await server.request("HTTP/2", "/health");
    await server.listener.close({ graceMs: 60_000 });
    await Promise.all([idle.closed(), silent.closed()]);
    expect(server.clock.pending).toBe(0);
  });

  it.each(protocols)("lets a request over %s finish and then closes its connection", async (protocol) => {
    const server = await ServerUnderTest.start();
    let answer: (count: number) => void = () => {};
    const asked = new Promise<void>((resolve) => {
      server.verbs.count = () => {
        resolve();
        return new Promise((settle) => {
          answer = settle;
        });
      };
    });
    const reply = server.request(protocol, "/jobs/count");
    await asked;
    const closed = server.listener.close({ graceMs: 60_000 });
    answer(7);
    expect((await reply).text).toBe('{"count":7}');
    await closed;
  });

  it.each(protocols)("waits over %s for a stream that its opener ends", async (protocol) => {
    const server = await ServerUnderTest.start();
    const stream = await server.open(protocol, "/jobs/take");
    const closed = server.listener.close({ graceMs: 60_000 });
    server.verbs.streams[0]?.sink.end();
    expect((await stream.ended).length).toBe(0);
    await closed;
  });

  it.each(protocols)("destroys over %s what has not ended after the grace time", async (protocol) => {
    const server = await ServerUnderTest.start();
    const stream = await server.open(protocol, "/jobs/take");
    const closed = server.listener.close({ graceMs: 5000 });
    server.clock.advance(5000);
    await closed;
    await Promise.allSettled([stream.ended]);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });

  it("refuses new connections, and closing twice is fine", async () => {
    const server = await ServerUnderTest.start();
    await Promise.all([server.listener.close({ graceMs: 1000 }), server.listener.close({ graceMs: 1000 })]);
    await expect(RawConnection.open(server.port)).rejects.toThrow("ECONNREFUSED");
  });
});
