import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Verbs } from "../engine/verbs.ts";
import type { BodyReader } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { JobEncoder } from "./job-encoder.ts";
import type { WireFormat } from "./negotiate.ts";

export interface HttpSettings {
  /** Silence on a take stream after which a heartbeat is sent. */
  readonly heartbeatMs: number;
  /** Of one request's body; 0 = no limit. */
  readonly bodyBytesMax: number;
  /** Of one job's payload, as JSON; 0 = no limit. */
  readonly payloadBytesMax: number;
  /** Of a bulk enqueue or a bulk success; 0 = no limit. */
  readonly bulkItemsMax: number;
  /** A body of which no byte comes for so long closes its connection; 0 = no limit. */
  readonly bodyTimeoutMs: number;
}

/** What all handlers of a listener share. */
export interface Door {
  readonly verbs: Verbs;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly settings: HttpSettings;
  /** This server's own version, without its name. */
  readonly version: string;
  readonly bodies: BodyReader;
  readonly encoder: JobEncoder;
}

/** A request that has passed negotiation and routing. */
export interface Call {
  readonly exchange: Exchange;
  /** Of the reply. */
  readonly format: WireFormat;
  /** Of the path, decoded, in order. */
  readonly parameters: readonly string[];
  /** The undecoded text after the `?`. */
  readonly query: string;
}

/** Answers a call, or throws a QueueError, which is then the answer. */
export type Handler = (door: Door, call: Call) => void | Promise<void>;
