import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpTransport } from "../src/http-transport.ts";
import type { StreamListener } from "../src/transport.ts";
import { FakeServer } from "./fixture/fake-server.ts";
import { ManualTimers } from "./fixture/manual-timers.ts";
import { turns } from "./fixture/worker-world.ts";

let server: FakeServer;
let timers: ManualTimers;
let transport: HttpTransport;

beforeEach(async () => {
  server = await FakeServer.open();
  timers = new ManualTimers();
  transport = new HttpTransport(server.url, timers);
});

afterEach(async () => {
  transport.close();
  await server.close();
});

const get = { method: "GET", path: "/health", headers: {}, timeoutMs: 1000 } as const;

/** Notes what a stream says. */
function recorder(): StreamListener & { said: string[] } {
  const said: string[] = [];
  const say = (text: string) => {
    said.push(text);
    server.wake();
  };
  return {
    said,
    opened: (status) => say(`opened ${status}`),
    bytes: (chunk) => say(`bytes ${chunk.toString().trim()}`),
    ended: (cause) => say(`ended ${cause === undefined ? "orderly" : String((cause as { kind?: string }).kind)}`),
  };
}

describe("requests", () => {
  test("resolve with whatever status came, and leave no alarm", async () => {
    server.script = () => ({ status: 503, body: { error: "x" } });
    await expect(transport.request(get)).resolves.toMatchObject({ status: 503, contentType: "application/json" });
    expect(timers.pending).toEqual([]);
  });

  test("share a connection that is kept alive", async () => {
    await transport.request(get);
    await turns(2);
    await transport.request(get);
    expect(new Set(server.seen.map((seen) => seen.headers.connection))).toEqual(new Set(["keep-alive"]));
    expect(server.connections).toBe(1);
  });

  test("that wait for a connection when time is up were certainly not sent", async () => {
    server.script = () => new Promise(() => {});
    const all = Array.from({ length: 33 }, () => transport.request(get));
    await server.until(() => server.seen.length === 32);
    timers.advance(1000);
    const ends = await Promise.allSettled(all);
    const reasons = ends.map((end) =>
      end.status === "rejected" ? (end.reason as { mayHaveHappened: boolean }) : undefined,
    );
    expect(reasons.filter((reason) => reason?.mayHaveHappened === false)).toHaveLength(1);
    expect(reasons.filter((reason) => reason?.mayHaveHappened === true)).toHaveLength(32);
  });

  test("that are under way end when the transport is closed, and later ones are refused", async () => {
    server.script = () => new Promise(() => {});
    const open = transport.request(get);
    await server.until(() => server.seen.length === 1);
    transport.close();
    transport.close();
    await expect(open).rejects.toMatchObject({ kind: "closed", mayHaveHappened: true });
    await expect(transport.request(get)).rejects.toMatchObject({ kind: "closed", mayHaveHappened: false });
    expect(timers.pending).toEqual([]);
  });
});

describe("streams", () => {
  test("say that they opened, what came, and how they ended, once", async () => {
    const listener = recorder();
    transport.stream({ path: "/jobs/take", headers: {} }, listener);
    expect(listener.said).toEqual([]);
    const take = await server.take(0);
    take.write("a\n");
    await server.until(() => listener.said.includes("bytes a"));
    take.end();
    await server.until(() => listener.said.length === 3);
    await turns(3);
    expect(listener.said).toEqual(["opened 200", "bytes a", "ended orderly"]);
  });

  test("say that they broke", async () => {
    const listener = recorder();
    transport.stream({ path: "/jobs/take", headers: {} }, listener);
    await server.until(() => listener.said.includes("opened 200"));
    (await server.take(0)).cut();
    await server.until(() => listener.said.length === 2);
    expect(listener.said).toEqual(["opened 200", "ended reset"]);
  });

  test("say nothing once they are closed", async () => {
    const listener = recorder();
    const stream = transport.stream({ path: "/jobs/take", headers: {} }, listener);
    const take = await server.take(0);
    stream.close();
    stream.close();
    await server.until(() => take.closed);
    await turns(3);
    expect(listener.said.filter((text) => text.startsWith("ended"))).toEqual([]);
  });

  test("end when the transport is closed", async () => {
    const listener = recorder();
    transport.stream({ path: "/jobs/take", headers: {} }, listener);
    await server.until(() => listener.said.includes("opened 200"));
    transport.close();
    await server.until(() => listener.said.length === 2);
    expect(listener.said).toEqual(["opened 200", "ended closed"]);
  });
});

test.each(["localhost:7890", "ftp://x", ""])("a URL that is none is refused: %s", (url) => {
  expect(() => new HttpTransport(url)).toThrow(expect.objectContaining({ code: "INVALID_FIELD" }));
});
