import { QueueError } from "@millrace/protocol/errors";
import { parseJson } from "@millrace/protocol/json";
import { decodeMsgpack } from "@millrace/protocol/msgpack";
import { takeDecoder } from "@millrace/protocol/take-decoder";
import { describe, expect, it } from "vitest";
import { inFlightJob, jsonPayload } from "./job-fixtures.ts";
import { RawConnection } from "./raw-connection.ts";
import { type ProtocolName, protocols, ServerUnderTest } from "./server-under-test.ts";

const message = { job: inFlightJob(), payload: jsonPayload({ image: 17 }) };
const large = { job: inFlightJob(), payload: jsonPayload("x".repeat(64 * 1024)) };

async function openTake(protocol: ProtocolName, path = "/jobs/take", headers: Record<string, string> = {}) {
  const server = await ServerUnderTest.start();
  const reply = await server.open(protocol, path, { headers });
  const stream = server.verbs.streams[0];
  return { server, reply, stream };
}

describe.each(protocols)("a take stream over %s", (protocol) => {
  it.each([
    [{}, "application/x-ndjson", "ndjson", "\n"],
    [{ accept: "text/event-stream" }, "text/event-stream", "sse", ": heartbeat\n\n"],
    [{ accept: "application/msgpack" }, "application/vnd.zizq.msgpack-stream", "msgpack", "\0\0\0\0"],
    [
      { accept: "application/vnd.millrace.msgpack-stream" },
      "application/vnd.millrace.msgpack-stream",
      "msgpack",
      "\0\0\0\0",
    ],
  ] as const)("for %j is %s, framed as %s", async (headers, type, framing, heartbeat) => {
    const { server, reply, stream } = await openTake(protocol, "/jobs/take", headers);
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, type]);
    server.clock.advance(3000);
    const beat = await reply.read((bytes) => bytes.length >= heartbeat.length);
    expect(beat.toString("latin1")).toBe(heartbeat);
    stream?.sink.send([message, message]);
    stream?.sink.send([message]);
    stream?.sink.end();
    const bytes = await reply.ended;
    const decoder = takeDecoder(framing, 1024 * 1024);
    const messages = decoder.push(bytes);
    decoder.end();
    const values = messages.map((one) => (framing === "msgpack" ? decodeMsgpack(one) : parseJson(one)));
    expect(values).toHaveLength(3);
    expect(values[0]).toMatchObject({ status: "in_flight", payload: { image: 17 }, delivery: "d7Qm2x0aK" });
  });

  it("sends its headers before there is any job or heartbeat", async () => {
    const { reply, stream } = await openTake(protocol);
    expect(reply.status).toBe(200);
    expect(reply.headers).not.toHaveProperty("content-length");
    expect(stream?.closed).toBe(0);
  });

  it("asks the engine for what the query says", async () => {
    const path = "/jobs/take?prefetch=7&queue=b%2Ca,,b";
    const { stream } = await openTake(protocol, path, { "worker-id": "w 1" });
    expect(stream?.request).toEqual({ queues: ["b", "a"], prefetch: 7, workerId: "w 1" });
    const plain = await openTake(protocol, "/jobs/take?queue=");
    expect(plain.stream?.request).toMatchObject({ queues: undefined, prefetch: 1 });
    expect(plain.stream?.request.workerId).toMatch(/^[0-9a-f]{8}$/);
    expect((await openTake(protocol, "/jobs/take?prefetch=0")).stream?.request.prefetch).toBe(0);
  });

  it("is refused in JSON, whatever was asked for", async () => {
    const server = await ServerUnderTest.start();
    const accept = "application/msgpack";
    const query = await server.request(protocol, "/jobs/take?x=1", { headers: { accept } });
    expect([query.status, query.headers["content-type"]]).toEqual([400, "application/json"]);
    const type = await server.request(protocol, "/jobs/take", { headers: { accept: "text/html" } });
    expect([type.status, JSON.parse(type.text).code]).toEqual([406, "NOT_ACCEPTABLE"]);
    expect(JSON.parse(type.text).supported).toContain("application/vnd.zizq.msgpack-stream");
    expect(server.verbs.streams).toEqual([]);
  });

  it("that the engine refuses is an error, not an empty stream", async () => {
    const server = await ServerUnderTest.start();
    server.verbs.take = () => {
      throw new QueueError("SHUTTING_DOWN", "the server is stopping");
    };
    expect((await server.request(protocol, "/jobs/take")).status).toBe(503);
  });

  it("for HEAD shows the headers and claims nothing", async () => {
    const server = await ServerUnderTest.start();
    const reply = await server.request(protocol, "/jobs/take", { method: "HEAD" });
    expect([reply.status, reply.headers["content-type"], reply.text]).toEqual([200, "application/x-ndjson", ""]);
    expect(server.verbs.streams).toEqual([]);
    expect((await server.request(protocol, "/health")).status).toBe(200);
  });

  it("beats after each interval of silence, and only jobs and heartbeats end a silence", async () => {
    const { server, reply, stream } = await openTake(protocol);
    server.clock.advance(2999);
    stream?.sink.send([message]);
    server.clock.advance(2999);
    const first = await reply.read((bytes) => bytes.includes("\n"));
    expect(first.toString()).toMatch(/^\{.*\}\n$/);
    server.clock.advance(1);
    const second = await reply.read((bytes) => bytes.length > first.length);
    expect(second.length).toBe(first.length + 1);
    server.clock.advance(9000);
    const third = await reply.read((bytes) => bytes.length > second.length + 2);
    expect(third.subarray(second.length).toString()).toBe("\n\n\n");
  });

  it("tells the engine once that it is closed, and beats no more", async () => {
    const { server, reply, stream } = await openTake(protocol);
    const alarms = server.clock.pending;
    reply.abort();
    await server.verbs.until(() => stream?.closed === 1);
    expect(server.clock.pending).toBe(alarms - 1);
    server.clock.advance(10_000);
    expect(stream?.sink.send([message])).toBe(false);
    await server.request(protocol, "/health");
    expect(stream?.closed).toBe(1);
  });

  it("that is ended by the engine ends after its last message, and is then closed", async () => {
    const { server, reply, stream } = await openTake(protocol);
    stream?.sink.send([message]);
    stream?.sink.end();
    expect((await reply.ended).toString()).toMatch(/^\{.*\}\n$/);
    await server.verbs.until(() => stream?.closed === 1);
    server.clock.advance(10_000);
    expect((await server.request(protocol, "/health")).status).toBe(200);
  });

  it("whose socket is full says so, drops its heartbeats, and goes on when it has drained", async () => {
    const { server, reply, stream } = await openTake(protocol);
    let sent = 0;
    let hasRoom = true;
    // Within one turn nothing drains.
    while (hasRoom && sent < 100) {
      sent += 1;
      hasRoom = stream?.sink.send([large]) ?? false;
    }
    expect(hasRoom).toBe(false);
    server.clock.advance(30_000);
    await server.verbs.until(() => stream?.drained === 1);
    server.clock.advance(3000);
    stream?.sink.end();
    const lines = (await reply.ended).toString().split("\n");
    expect(lines.slice(0, -2).map((line) => line.length > large.payload.bytes.length)).toEqual(Array(sent).fill(true));
    // One heartbeat, sent after the drain.
    expect(lines.slice(-2)).toEqual(["", ""]);
  });
});

describe("a worker's connection", () => {
  it.each(["reset", "closed"])("that is %s while its socket is full closes the stream", async (how) => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    connection.socket.pause();
    await connection.send("GET /jobs/take HTTP/1.1\r\nHost: x\r\n\r\n");
    await server.verbs.until(() => server.verbs.streams.length === 1);
    const stream = server.verbs.streams[0];
    while (stream?.sink.send([large]));
    if (how === "reset") connection.socket.resetAndDestroy();
    else connection.socket.destroy();
    await server.verbs.until(() => stream?.closed === 1);
    expect(stream?.sink.send([large])).toBe(false);
  });

  it("that sent a body nobody wants is noticed when it closes", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    const body = "x".repeat(1024 * 1024);
    await connection.send(`GET /jobs/take HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await server.verbs.until(() => server.verbs.streams.length === 1);
    connection.socket.end();
    await server.verbs.until(() => server.verbs.streams[0]?.closed === 1);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });

  it("of HTTP/2 that only says its last closes its streams", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.port);
    const path = Buffer.from("/jobs/take");
    // GET, http, the path, authority x: from the static table, and literals without indexing.
    const head = Buffer.from([0x82, 0x86, 0x04, path.length, ...path, 0x01, 1, 0x78]);
    const headers = Buffer.from([0, 0, head.length, 1, 5, 0, 0, 0, 1]);
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    await connection.send(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings, headers, head]));
    await server.verbs.until(() => server.verbs.streams.length === 1);
    connection.socket.end();
    await server.verbs.until(() => server.verbs.streams[0]?.closed === 1);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });
});
