import { describe, expect, it } from "vitest";
import { RawConnection } from "./raw-connection.ts";
import { protocols, ServerUnderTest } from "./server-under-test.ts";

const job = '{"type":"t","queue":"q","payload":1}';
const HEAD = "POST /jobs HTTP/1.1\r\nHost: x\r\n";

describe("a body", () => {
  it.each(protocols)("above the limit is refused with 413 over %s, and the connection serves on", async (protocol) => {
    const server = await ServerUnderTest.start({ settings: { bodyBytesMax: job.length } });
    const post = (body: string) => server.request(protocol, "/jobs", { method: "POST", body });
    expect((await post(job)).status).toBe(201);
    const over = await post(`${job} `);
    expect([over.status, JSON.parse(over.text).code]).toEqual([413, "BODY_TOO_LARGE"]);
    expect((await post("x".repeat(1024 * 1024))).status).toBe(413);
    expect((await post(job)).status).toBe(201);
    expect(server.verbs.enqueued).toHaveLength(2);
  });

  it("has no limit when that is 0", async () => {
    const server = await ServerUnderTest.start({ settings: { bodyBytesMax: 0, payloadBytesMax: 0 } });
    const body = JSON.stringify({ type: "t", queue: "q", payload: "x".repeat(2 * 1024 * 1024) });
    expect((await server.request("HTTP/1.1", "/jobs", { method: "POST", body })).status).toBe(201);
  });

  it("that is announced as too large is refused before its first byte", async () => {
    const server = await ServerUnderTest.start({ settings: { bodyBytesMax: 10 } });
    const connection = await RawConnection.open(server.port);
    await connection.send(`${HEAD}Content-Length: 11\r\n\r\n`);
    expect(await connection.until((text) => text.includes("}"))).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("in chunks is refused while it comes, and the rest of it is passed over", async () => {
    const server = await ServerUnderTest.start({ settings: { bodyBytesMax: 10 } });
    const connection = await RawConnection.open(server.port);
    await connection.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n`);
    await connection.send("8\r\n12345678\r\n");
    expect(await connection.until((text) => text.includes("}"))).toMatch(/^HTTP\/1\.1 413 /);
    await connection.send("8\r\n12345678\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await connection.until((text) => text.includes("ok"))).toContain("HTTP/1.1 200 OK");
  });

  it("is asked for when the client waits for a word to begin, and not when it is refused anyway", async () => {
    const server = await ServerUnderTest.start({ settings: { bodyBytesMax: 100 } });
    const waiting = await RawConnection.open(server.port);
    await waiting.send(`${HEAD}Expect: 100-continue\r\nContent-Length: ${job.length}\r\n\r\n`);
    await waiting.until((text) => text.startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    await waiting.send(job);
    expect(await waiting.until((text) => text.includes("}"))).toContain("HTTP/1.1 201 Created");
    const refused = await RawConnection.open(server.port);
    await refused.send(`${HEAD}Expect: 100-continue\r\nContent-Length: 101\r\n\r\n`);
    const text = await refused.closed();
    expect(text).toMatch(/^HTTP\/1\.1 413 .*Connection: close\r\n/s);
  });

  it("of which no byte comes for a minute closes the connection", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send(`${HEAD}Content-Length: 10\r\n\r\n`);
    await server.clock.untilSet(7_500);
    server.clock.advance(60_000);
    expect(connection.socket.closed).toBe(false);
    server.clock.advance(7_500);
    expect(await connection.closed()).toBe("");
    expect(server.verbs.enqueued).toEqual([]);
  });

  it.each([
    ["the connection is reset", undefined],
    ["the stream is reset with an error", 8],
    ["the stream is reset as if all were well", 0],
  ])("of HTTP/2 that is whole but not ended when %s does nothing", async (_what, rstCode) => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    // POST, http, /jobs, authority x: from the static table, and literals without indexing.
    const head = Buffer.from([0x83, 0x86, 0x04, 5, ...Buffer.from("/jobs"), 0x01, 1, 0x78]);
    await connection.send(Buffer.concat([PREFACE, frame(4, 0, 0), frame(1, END_HEADERS, 1, head)]));
    await connection.send(frame(0, 0, 1, Buffer.from(job)));
    await server.clock.untilSet(7_500);
    if (rstCode === undefined) connection.socket.resetAndDestroy();
    else await connection.send(frame(3, 0, 1, Buffer.from([0, 0, 0, rstCode])));
    // The server has seen all of it when it has closed its end.
    connection.socket.end();
    await connection.closed();
    expect((await server.request("HTTP/2", "/health")).status).toBe(200);
    expect(server.verbs.enqueued).toEqual([]);
    expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("that is cut off does nothing", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    await connection.send(`${HEAD}Content-Length: 1000\r\n\r\n${job}`);
    await server.clock.untilSet(7_500);
    connection.socket.resetAndDestroy();
    await connection.closed();
    expect((await server.request("HTTP/1.1", "/health")).status).toBe(200);
    expect(server.verbs.enqueued).toEqual([]);
    expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
  });
});

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const END_HEADERS = 4;

function frame(type: number, flags: number, stream: number, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from([0, 0, body.length, type, flags, 0, 0, 0, stream]), body]);
}
