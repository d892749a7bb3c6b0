/** The composition root: the one place where the parts meet the real clock, disk and network. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "./base/logger.ts";
import { SystemClock } from "./base/system-clock.ts";
import { SystemRandom } from "./base/system-random.ts";
import type { Config } from "./config.ts";
import { Engine } from "./engine/engine.ts";
import { Listener } from "./http/listener.ts";
import { createPrimary } from "./http/primary.ts";
import type { Kv } from "./kv/kv.ts";
import { LevelKv } from "./kv/level-kv.ts";
import { MemoryKv } from "./kv/memory-kv.ts";
import { machineBoot } from "./machine-boot.ts";
import { holderOf, labelRoot, makeRoot, RootLocked } from "./root-lock.ts";

/** How often, and how long apart, a server that found the store locked looks for the name of the holder. */
const labelTriesMax = 20;
const labelWaitMs = 50;

/** A server that listens. */
export interface RunningServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves when memory is rebuilt and jobs are handed out. */
  readonly ready: Promise<void>;
  /**
   * Stops in order: no new connections, take streams end and their jobs are ready again, requests finish within the grace
   * time, what was decided is written. Twice is fine.
   */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** The store failed under the running server, which must not go on. */
  onFailure(cause: unknown): void;
}

/** This package's own version. */
export function ownVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Starts a server: lock, store, engine, listener, in that order, so that nothing listens before what was in flight is ready
 * again. @throws RootLocked, QueueError STORAGE_UNAVAILABLE, or Node's error of the listener; whatever was opened is closed
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { config, logger } = options;
  const clock = new SystemClock();
  const random = new SystemRandom();
  const closers: (() => void | Promise<void>)[] = [];
  try {
    const kv = await openStore(config, clock, closers);
    const engine = await Engine.open({
      kv,
      clock,
      random,
      logger: logger.for("millrace.engine"),
      settings: config.engine,
      boot: machineBoot(),
      onEnd: options.onFailure,
    });
    closers.push(() => engine.stop());
    const handler = createPrimary({
      verbs: engine,
      clock,
      random,
      logger,
      settings: config.http,
      version: ownVersion(),
    });
    const { host, port, headerBytesMax } = config;
    const listener = await Listener.open({
      host,
      port,
      handler,
      clock,
      logger: logger.for("millrace.http"),
      headerBytesMax,
    });
    closers.push(async () => {
      const closed = listener.close({ graceMs: config.shutdownGraceMs });
      engine.drain();
      await closed;
    });
    const { address } = listener;
    const addr = address.host.includes(":") ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
    if (config.wantsAdmin) logger.for("millrace.serve").info("this version has no admin listener");
    logger.for("millrace.serve").info("listening", { api: "primary", addr, scheme: "http" });
    let stopped: Promise<void> | undefined;
    return { address, ready: engine.ready, stop: () => (stopped ??= closeAll(closers)) };
  } catch (error) {
    // Why it did not start matters more than what went wrong when it was cleared away.
    await closeAll(closers).catch(() => undefined);
    throw error;
  }
}

async function openStore(config: Config, clock: SystemClock, closers: (() => void | Promise<void>)[]): Promise<Kv> {
  if (config.isEphemeral) return new MemoryKv({ clock });
  const { rootDir } = config;
  makeRoot(rootDir);
  const holder = holderOf(rootDir);
  if (holder !== undefined) throw new RootLocked(rootDir, holder);
  const kv = await openLevel(config);
  closers.push(() => kv.close());
  labelRoot(rootDir);
  return kv;
}

async function openLevel(config: Config): Promise<LevelKv> {
  try {
    // A quarter is for blocks, another for fresh payloads (`config.ts`); LevelDB's write buffers take what is left.
    return await LevelKv.open(join(config.rootDir, "data"), { cacheBytes: Math.floor(config.cacheBytes / 4) });
  } catch (error) {
    if (!isLockedStore(error)) throw error;
    // Whoever has it may be about to put its name there.
    for (let tries = 0; tries < labelTriesMax; tries += 1) {
      const holder = holderOf(config.rootDir);
      if (holder !== undefined) throw new RootLocked(config.rootDir, holder);
      // Not by the clock: its alarms keep no process alive, and nothing else does yet.
      await setTimeout(labelWaitMs);
    }
    throw new RootLocked(config.rootDir, undefined);
  }
}

function isLockedStore(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && cause.code === "LEVEL_LOCKED") return true;
  }
  return false;
}

/** In the reverse order of opening. One that fails does not keep the others open; the first failure is thrown at the end. */
async function closeAll(closers: (() => void | Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (cause) {
      failures.push(cause);
    }
  }
  if (failures.length > 0) throw failures[0];
}
