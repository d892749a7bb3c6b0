/**
 * Every flag of `millrace serve`, in one table: it parses the command line and the environment, prints `serve --help`, and
 * makes the table of docs/operations.md. A flag's environment variable is `MILLRACE_` and its name in upper case with
 * underscores; the flag beats the variable.
 */
import { limits } from "./base/limits.ts";

const u32Max = 2 ** 32 - 1;
/** The longest configurable time, 100 years: what is longer is a mistake. */
const longestMs = 100 * 365 * 86_400_000;
/** How a flag's text is read; see `config-values.ts`. */
export type FlagKind =
  | "text"
  | "port"
  | "duration"
  | "size"
  | "count"
  | "decimal"
  | "switch"
  | readonly [string, string, ...string[]];
export interface Flag {
  readonly kind: FlagKind;
  /** As a user would write it; undefined = none. */
  readonly default?: string;
  readonly help: string;
  readonly short?: string;
  /** Lowest and highest value of a number, in its unit. */
  readonly min?: number;
  readonly max?: number;
}

export const flags = {
  "root-dir": { kind: "text", default: "./millrace-data", help: "directory that holds everything; made if missing" },
  host: { kind: "text", default: "127.0.0.1", help: "address of the primary API" },
  port: { kind: "port", default: "7890", help: "port of the primary API; 0 = any free one, which is logged" },
  "no-admin": { kind: "switch", help: "no admin listener" },
  "heartbeat-interval": {
    kind: "duration",
    default: "3s",
    min: 1,
    help: "silence on a take stream after which a heartbeat is sent",
  },
  "global-in-flight-limit": {
    kind: "count",
    short: "l",
    default: "1024",
    max: u32Max,
    help: "most jobs in flight over all streams; 0 = no limit",
  },
  "default-retry-limit": { kind: "count", default: "25", max: u32Max, help: "retries of a job that does not say it" },
  "default-backoff-exponent": {
    kind: "decimal",
    default: "4.0",
    max: 1000,
    help: "delay = attempts^exponent s + base + random * jitter * attempts",
  },
  "default-backoff-base": { kind: "duration", default: "15s", max: u32Max, help: "see above" },
  "default-backoff-jitter": { kind: "duration", default: "30s", max: u32Max, help: "see above" },
  "default-completed-job-retention": {
    kind: "duration",
    default: "0",
    help: "how long completed jobs are kept; 0 = not at all",
  },
  "default-dead-job-retention": {
    kind: "duration",
    default: "7d",
    help: "how long dead jobs are kept; 0 = not at all",
  },
  "reaper-check-interval": {
    kind: "duration",
    default: "30s",
    min: 1,
    help: "how often jobs past their retention are deleted",
  },
  "default-commit-mode": {
    kind: ["fsync", "buffered"],
    default: "fsync",
    help: "fsync: an answer survives a power cut; buffered: a crash of the process",
  },
  "enqueue-commit-mode": {
    kind: ["fsync", "buffered"],
    help: "the same for enqueues alone; default: as --default-commit-mode",
  },
  "cache-size": {
    kind: "size",
    default: "256MB",
    min: 1_000_000,
    max: 16_000_000_000,
    help: "memory for the store: a quarter for its blocks, a quarter for payloads just enqueued, the rest for writes",
  },
  "enqueue-batch-size": {
    kind: "count",
    default: "1000",
    min: 1,
    max: 1_000_000,
    help: "operations after which a write that gathers is closed",
  },
  "complete-batch-size": {
    kind: "count",
    default: "1000",
    min: 1,
    max: 1_000_000,
    help: "the same for settles; the smaller of the two counts",
  },
  "max-body-size": {
    kind: "size",
    default: "16MiB",
    max: 2 ** 31 - 1,
    help: "largest request body; 0 = no limit",
  },
  "max-payload-size": {
    kind: "size",
    default: "1MiB",
    help: "largest payload as JSON; 0 = no limit",
  },
  "max-bulk-items": {
    kind: "count",
    default: String(limits.bulkItemsMax),
    help: "most members of a bulk request; 0 = no limit",
  },
  "max-header-size": {
    kind: "size",
    default: "128KiB",
    min: limits.headerBytesMin,
    max: 16 * 1024 * 1024,
    help: "largest request target and headers together",
  },
  "body-timeout": {
    kind: "duration",
    default: "60s",
    help: "silence within a request body after which it is given up; 0 = no limit",
  },
  "shutdown-grace": { kind: "duration", default: "10s", help: "how long requests may go on after SIGTERM" },
  "log-format": { kind: ["pretty", "compact", "json"], help: "default: pretty on a terminal, else compact" },
  "log-level": { kind: ["debug", "info", "warn", "error"], default: "info", help: "least level that is logged" },
  ephemeral: { kind: "switch", help: "keep everything in memory and nothing on disk" },
  insecure: { kind: "switch", help: "listen beyond loopback although nobody is asked for a token or a certificate" },
  "license-key": {
    kind: "text",
    short: "k",
    help: "accepted for compatibility with Zizq and ignored: everything is free",
  },
  "license-key-check-interval": { kind: "text", help: "accepted and ignored" },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;
/** Variables without a flag. */
export const environmentOnly = {
  MILLRACE_SCHEDULER_BATCH_SIZE: { default: limits.schedulerPassMax, help: "due jobs made ready in one pass" },
} as const;
/** Flags of the contract that this version does not have: refused by name, never ignored. */
export const flagsNotBuilt: readonly string[] = [
  "admin-host",
  "admin-port",
  "admin-tls-cert",
  "admin-tls-client-ca",
  "admin-tls-key",
  "auth",
  "auth-tokens",
  "catch-up-rate",
  "config",
  "default-cancel-grace",
  "default-max-lost",
  "default-timezone",
  "h2-ping-interval",
  "h2-ping-timeout",
  "idempotency-ttl",
  "log-dir",
  "log-max-files",
  "log-max-size",
  "log-rotation",
  "log-to-disk",
  "max-budgets",
  "max-idempotency-keys",
  "max-queued",
  "max-result-size",
  "tcp-user-timeout",
  "ticks-kept",
  "tls-cert",
  "tls-client-ca",
  "tls-key",
  "webhook-allow-private",
];

/** Those of them that take no value. */
export const switchesNotBuilt: readonly string[] = ["log-to-disk", "webhook-allow-private"];
/** The longest duration a flag takes. */
export const durationMaxMs = longestMs;
