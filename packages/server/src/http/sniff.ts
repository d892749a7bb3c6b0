import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";

/** What the first bytes of a connection say. `more`: they do not say it yet. */
export type Spoken = "http1" | "http2" | "tls" | "more";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const TLS_HANDSHAKE = 0x16;

/** Tells the protocol of a connection from its first bytes, which may be any number of them. */
function spokenBy(first: Buffer): Spoken {
  if (first.length === 0) return "more";
  if (first[0] === TLS_HANDSHAKE) return "tls";
  const compared = Math.min(first.length, PREFACE.length);
  if (PREFACE.compare(first, 0, compared, 0, compared) !== 0) return "http1";
  return first.length < PREFACE.length ? "more" : "http2";
}

/**
 * Holds the first bytes of a fresh connection until they tell the protocol, then puts them back, once, and calls `decided`.
 * (Putting a partial preface back to look again later would make it readable again at once: a loop at full speed.)
 * A connection that says nothing for `timeoutMs`, closes or fails meanwhile is destroyed.
 */
export function sniff(socket: Socket, clock: Clock, timeoutMs: number, decided: (spoken: Spoken) => void): void {
  let held: Buffer = Buffer.alloc(0);
  const alarm = clock.after(timeoutMs, giveUp);

  function giveUp(): void {
    release();
    socket.destroy();
  }
  function release(): void {
    alarm.cancel();
    socket.off("readable", look);
    socket.off("end", giveUp);
    socket.off("error", giveUp);
    socket.off("close", release);
  }
  function look(): void {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    }
    const spoken = spokenBy(held);
    if (spoken === "more") return;
    release();
    socket.unshift(held);
    decided(spoken);
  }

  socket.on("readable", look);
  socket.on("end", giveUp);
  socket.on("error", giveUp);
  socket.on("close", release);
}
