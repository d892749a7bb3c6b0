import type { Clock } from "../../src/base/clock.ts";
import type { Logger } from "../../src/base/logger.ts";
import type { Random } from "../../src/base/random.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineSettings } from "../../src/engine/settings.ts";
import type { Verbs } from "../../src/engine/verbs.ts";
import type { Kv } from "../../src/kv/kv.ts";

/** What the world asks of an engine beside its verbs. */
export interface SimEngine extends Verbs {
  readonly ready: Promise<void>;
  stop(): Promise<void>;
  verify(): Promise<readonly string[]>;
}

export interface EngineParts {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: EngineSettings;
  /** Names the machine's boot: another one after each power cut. Undefined = the machine does not say. */
  readonly boot: string | undefined;
  onEnd(cause: unknown): void;
}

/** How a life gets its engine. A test that plants a fault wraps this. */
export type OpenEngine = (parts: EngineParts) => Promise<SimEngine>;

/** The real one. */
export const openEngine: OpenEngine = (parts) => Engine.open(parts);
