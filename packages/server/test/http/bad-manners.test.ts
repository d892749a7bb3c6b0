/** Clients that pipeline, close half of their connection, or do not read: what each once broke. */
import { describe, expect, it } from "vitest";
import { RawConnection } from "./raw-connection.ts";
import { ServerUnderTest } from "./server-under-test.ts";

const take = "GET /jobs/take HTTP/1.1\r\nHost: x\r\n\r\n";
const job = '{"queue":"q","type":"t","payload":1}';
const enqueue = `POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${job.length}\r\n\r\n${job}`;

describe("pipelined take streams", () => {
  it("claim nothing while they wait behind one that has no end", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    await connection.send(take + take + take);
    await connection.until((text) => text.includes("200 OK"));
    await server.verbs.until(() => server.verbs.streams.length === 1);
    connection.socket.destroy();
    await server.verbs.until(() => server.verbs.streams[0]?.closed === 1);
    expect(server.verbs.streams.length).toBe(1);
  });

  it("open in their turn, and are closed once when the connection goes", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    await connection.send(enqueue + take);
    await connection.until((text) => text.includes("201 Created") && text.includes("200 OK"));
    expect(server.verbs.streams.length).toBe(1);
    connection.socket.resetAndDestroy();
    await server.verbs.until(() => (server.verbs.streams[0]?.closed ?? 0) > 0);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });
});

describe("a client that closes its half", () => {
  it("still gets the answer to what it asked", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    connection.socket.end(enqueue);
    expect(await connection.closed()).toContain("201 Created");
    expect(server.verbs.enqueued.length).toBe(1);
  });

  it("ends its take stream, also one that it does not read", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    connection.socket.pause();
    await connection.send(take);
    await server.verbs.until(() => server.verbs.streams.length === 1);
    connection.socket.end();
    await server.verbs.until(() => server.verbs.streams[0]?.closed === 1);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });
});

describe("an orderly stop", () => {
  it("does not wait for a peer that never closes its side of an ended stream", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    connection.socket.allowHalfOpen = true;
    await connection.send(take);
    await server.verbs.until(() => server.verbs.streams.length === 1);
    const before = server.clock.pending;
    server.verbs.streams[0]?.sink.end();
    // The heartbeat's alarm is gone, the deadline's is there.
    expect(server.clock.pending).toBe(before);
    server.clock.advance(1000);
    await server.verbs.until(() => server.verbs.streams[0]?.closed === 1);
    expect(server.verbs.streams[0]?.closed).toBe(1);
  });

  it("does not wait for half the head of a request", async () => {
    const server = await ServerUnderTest.start();
    const connection = await RawConnection.open(server.listener.address.port);
    await connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    await connection.until((text) => text.includes('{"status":"ok"}'));
    await connection.send("POST /jo");
    // No alarm rings on this clock: what closes, closes by itself.
    await server.listener.close({ graceMs: 60_000 });
    expect(await connection.closed()).toContain("200 OK");
  });
});
