/** From a command line and an environment to what the server is told. Everything is checked before the store is opened. */
import { BlockList, isIP } from "node:net";
import { parseArgs } from "node:util";
import { environmentOnly, type Flag, type FlagName, flags, flagsNotBuilt, switchesNotBuilt } from "./config-flags.ts";
import { numberOf, switchOf, UsageError, wordOf } from "./config-values.ts";
import type { EngineSettings } from "./engine/settings.ts";
import type { HttpSettings } from "./http/handler.ts";

export const logFormats = flags["log-format"].kind;
export const logLevels = flags["log-level"].kind;
const commitModes = flags["default-commit-mode"].kind;

export interface Config {
  readonly rootDir: string;
  readonly host: string;
  readonly port: number;
  readonly cacheBytes: number;
  readonly isEphemeral: boolean;
  /** Whether an admin listener was not turned off. */
  readonly wantsAdmin: boolean;
  readonly headerBytesMax: number;
  readonly shutdownGraceMs: number;
  /** Undefined = pretty on a terminal, else compact. */
  readonly logFormat: (typeof logFormats)[number] | undefined;
  readonly logLevel: (typeof logLevels)[number];
  readonly engine: EngineSettings;
  readonly http: HttpSettings;
  /** What the operator should know and need not change. */
  readonly warnings: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** A value and where it was given. */
interface Given {
  readonly label: string;
  readonly text: string;
}

/**
 * @param argv what stands behind `serve`
 * @throws UsageError that says what is wrong, and how it would be right
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const warnings: string[] = [];
  const given = new Map([...fromEnvironment(env, warnings), ...fromArguments(argv)]);
  const text = (name: FlagName) => given.get(name)?.text ?? defaultOf(name) ?? "";
  const number = (name: FlagName) => numberOf(given.get(name)?.label ?? `--${name}`, flags[name], text(name));
  const word = <Word extends string>(name: FlagName, words: readonly Word[]) =>
    wordOf(given.get(name)?.label ?? `--${name}`, words, text(name));
  const isOn = (name: FlagName) => switchOf(given.get(name)?.label ?? `--${name}`, given.get(name)?.text ?? "");
  const commitMode = word("default-commit-mode", commitModes);
  const config: Config = {
    rootDir: nonEmpty(given, "root-dir", text("root-dir")),
    host: nonEmpty(given, "host", text("host")).replace(/^\[(.*)\]$/, "$1"),
    port: number("port"),
    cacheBytes: number("cache-size"),
    isEphemeral: isOn("ephemeral"),
    wantsAdmin: !isOn("no-admin"),
    headerBytesMax: number("max-header-size"),
    shutdownGraceMs: number("shutdown-grace"),
    logFormat: given.has("log-format") ? word("log-format", logFormats) : undefined,
    logLevel: word("log-level", logLevels),
    engine: {
      globalInFlightMax: number("global-in-flight-limit"),
      defaultRetryLimit: number("default-retry-limit"),
      defaultBackoff: {
        exponent: Math.fround(number("default-backoff-exponent")),
        baseMs: number("default-backoff-base"),
        jitterMs: number("default-backoff-jitter"),
      },
      completedRetentionMs: number("default-completed-job-retention"),
      deadRetentionMs: number("default-dead-job-retention"),
      reaperIntervalMs: number("reaper-check-interval"),
      commitMode,
      enqueueCommitMode: given.has("enqueue-commit-mode") ? word("enqueue-commit-mode", commitModes) : commitMode,
      operationsMax: Math.min(number("enqueue-batch-size"), number("complete-batch-size")),
      freshPayloadBytesMax: Math.floor(number("cache-size") / 4),
      schedulerPassMax: schedulerPass(env),
    },
    http: {
      heartbeatMs: number("heartbeat-interval"),
      bodyBytesMax: number("max-body-size"),
      payloadBytesMax: number("max-payload-size"),
      bulkItemsMax: number("max-bulk-items"),
      bodyTimeoutMs: number("body-timeout"),
    },
    warnings,
  };
  if (!isLoopback(config.host) && !isOn("insecure")) {
    throw new UsageError(
      `refusing to listen on ${config.host}: anybody who reaches it could use the queue. ` +
        "Listen on 127.0.0.1, or say --insecure if the network in front of it is yours alone",
    );
  }
  if (isOn("insecure") && !isLoopback(config.host)) warnings.push(`listening on ${config.host} without authentication`);
  return config;
}

function fromArguments(argv: readonly string[]): Map<FlagName, Given> {
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const name of flagsNotBuilt) options[name] = { type: switchesNotBuilt.includes(name) ? "boolean" : "string" };
  for (const [name, flag] of Object.entries<Flag>(flags)) {
    options[name] = {
      type: flag.kind === "switch" ? "boolean" : "string",
      ...(flag.short ? { short: flag.short } : {}),
    };
  }
  let values: Readonly<Record<string, unknown>>;
  try {
    values = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  for (const name of flagsNotBuilt) {
    if (values[name] !== undefined) throw new UsageError(`--${name} is not supported yet`);
  }
  const given = new Map<FlagName, Given>();
  for (const name of flagNames()) {
    const value = values[name];
    if (value !== undefined) given.set(name, { label: `--${name}`, text: String(value) });
  }
  return given;
}

/** A container platform may set MILLRACE_PORT=tcp://… for a service of that name: such a value means nothing to us. */
function isInjected(name: string, text: string): boolean {
  return name.endsWith("port") && /^[a-z]+:\/\//.test(text);
}

function fromEnvironment(env: Env, warnings: string[]): Map<FlagName, Given> {
  const given = new Map<FlagName, Given>();
  for (const name of flagNames()) {
    const label = variableOf(name);
    const text = env[label];
    if (text === undefined || text === "") continue;
    if (isInjected(name, text)) warnings.push(`${label}=${text} is ignored: it is no port`);
    else given.set(name, { label, text });
  }
  for (const name of flagsNotBuilt) {
    const text = env[variableOf(name)];
    if (text && !isInjected(name, text)) throw new UsageError(`${variableOf(name)} is not supported yet`);
  }
  if (env["MILLRACE_LOG_FILTER"]) warnings.push("MILLRACE_LOG_FILTER is ignored: use --log-level");
  return given;
}

/** The environment variable of a flag. */
export function variableOf(name: string): string {
  return `MILLRACE_${name.toUpperCase().replaceAll("-", "_")}`;
}

function flagNames(): FlagName[] {
  return Object.keys(flags) as FlagName[];
}

function defaultOf(name: FlagName): string | undefined {
  const flag: Flag = flags[name];
  return flag.default;
}

function nonEmpty(given: ReadonlyMap<FlagName, Given>, name: FlagName, text: string): string {
  if (text.trim() !== "") return text;
  throw new UsageError(`${given.get(name)?.label ?? `--${name}`} must not be empty`);
}

function schedulerPass(env: Env): number {
  const label = "MILLRACE_SCHEDULER_BATCH_SIZE";
  const text = env[label];
  return text
    ? numberOf(label, { kind: "count", min: 1, max: 1_000_000, help: "" }, text)
    : environmentOnly[label].default;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach an address. Of names only `localhost`: what others stand for is not known here. */
function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}
