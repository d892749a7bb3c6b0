import { describe, expect, test } from "vitest";
import { limits } from "../../src/base/limits.ts";
import { type Config, readConfig, variableOf } from "../../src/config.ts";
import { environmentOnly, type Flag, flags, flagsNotBuilt, switchesNotBuilt } from "../../src/config-flags.ts";
import { UsageError } from "../../src/config-values.ts";
import { serveHelp } from "../../src/serve-help.ts";

const day = 86_400_000;

function read(argv: readonly string[] = [], env: Record<string, string> = {}): Config {
  return readConfig(argv, env);
}

function refusal(argv: readonly string[], env: Record<string, string> = {}): string {
  try {
    readConfig(argv, env);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  throw new Error(`not refused: ${argv.join(" ")} ${JSON.stringify(env)}`);
}

describe("without flags and environment", () => {
  test("everything has the default of the specification", () => {
    expect(read()).toEqual({
      rootDir: "./millrace-data",
      host: "127.0.0.1",
      port: 7890,
      cacheBytes: 256_000_000,
      isEphemeral: false,
      wantsAdmin: true,
      headerBytesMax: 128 * 1024,
      shutdownGraceMs: 10_000,
      logFormat: undefined,
      logLevel: "info",
      engine: {
        globalInFlightMax: 1024,
        defaultRetryLimit: 25,
        defaultBackoff: { exponent: 4, baseMs: 15_000, jitterMs: 30_000 },
        completedRetentionMs: 0,
        deadRetentionMs: 7 * day,
        reaperIntervalMs: 30_000,
        commitMode: "fsync",
        enqueueCommitMode: "fsync",
        operationsMax: 1000,
        freshPayloadBytesMax: 64_000_000,
        schedulerPassMax: 200,
      },
      http: {
        heartbeatMs: 3000,
        bodyBytesMax: 16 * 1024 * 1024,
        payloadBytesMax: 1024 * 1024,
        bulkItemsMax: 100_000,
        bodyTimeoutMs: 60_000,
      },
      warnings: [],
    });
  });

  test("and the defaults are those of the limits that the rest of the server knows", () => {
    const { http, headerBytesMax, engine } = read();
    expect(http.bodyBytesMax).toBe(limits.bodyBytesMax);
    expect(http.payloadBytesMax).toBe(limits.payloadBytesMax);
    expect(http.bulkItemsMax).toBe(limits.bulkItemsMax);
    expect(headerBytesMax).toBe(limits.headerBytesMax);
    expect(engine.schedulerPassMax).toBe(limits.schedulerPassMax);
  });
});

/** Flag, a value, where it is found, what it is there. */
const cases: readonly (readonly [flag: string, text: string, get: (config: Config) => unknown, value: unknown])[] = [
  ["root-dir", "/srv/x", (c) => c.rootDir, "/srv/x"],
  ["host", "localhost", (c) => c.host, "localhost"],
  ["port", "0", (c) => c.port, 0],
  ["heartbeat-interval", "500ms", (c) => c.http.heartbeatMs, 500],
  ["global-in-flight-limit", "0", (c) => c.engine.globalInFlightMax, 0],
  ["default-retry-limit", "3", (c) => c.engine.defaultRetryLimit, 3],
  ["default-backoff-exponent", "2.7", (c) => c.engine.defaultBackoff.exponent, Math.fround(2.7)],
  ["default-backoff-base", "2h 30m", (c) => c.engine.defaultBackoff.baseMs, 9_000_000],
  ["default-backoff-jitter", "0", (c) => c.engine.defaultBackoff.jitterMs, 0],
  ["default-completed-job-retention", "1500", (c) => c.engine.completedRetentionMs, 1500],
  ["default-dead-job-retention", "1w", (c) => c.engine.deadRetentionMs, 7 * day],
  ["reaper-check-interval", "1m", (c) => c.engine.reaperIntervalMs, 60_000],
  ["default-commit-mode", "buffered", (c) => c.engine.commitMode, "buffered"],
  ["enqueue-commit-mode", "buffered", (c) => c.engine.enqueueCommitMode, "buffered"],
  ["cache-size", "64MiB", (c) => c.cacheBytes, 64 * 1024 * 1024],
  ["enqueue-batch-size", "10", (c) => c.engine.operationsMax, 10],
  ["complete-batch-size", "20", (c) => c.engine.operationsMax, 20],
  ["max-body-size", "0", (c) => c.http.bodyBytesMax, 0],
  ["max-payload-size", "2KB", (c) => c.http.payloadBytesMax, 2000],
  ["max-bulk-items", "7", (c) => c.http.bulkItemsMax, 7],
  ["max-header-size", "64KiB", (c) => c.headerBytesMax, 65_536],
  ["body-timeout", "1s", (c) => c.http.bodyTimeoutMs, 1000],
  ["shutdown-grace", "1s", (c) => c.shutdownGraceMs, 1000],
  ["log-format", "json", (c) => c.logFormat, "json"],
  ["log-level", "warn", (c) => c.logLevel, "warn"],
];

describe("a setting", () => {
  test.each(cases)("--%s can be %s, as a flag and in the environment", (flag, text, get, value) => {
    expect(get(read([`--${flag}`, text]))).toEqual(value);
    expect(get(read([`--${flag}=${text}`]))).toEqual(value);
    expect(get(read([], { [variableOf(flag)]: text }))).toEqual(value);
  });

  test("is named in the environment by one rule", () => {
    expect(variableOf("default-completed-job-retention")).toBe("MILLRACE_DEFAULT_COMPLETED_JOB_RETENTION");
  });

  test("by flag beats the environment, which beats the default; an empty variable is none", () => {
    const env = { MILLRACE_PORT: "1", MILLRACE_HOST: "" };
    expect(read(["--port", "2"], env)).toMatchObject({ port: 2, host: "127.0.0.1" });
    expect(read([], env).port).toBe(1);
  });

  test("given twice counts as given last", () => {
    expect(read(["--port", "1", "--port", "2"]).port).toBe(2);
  });

  test("may have a letter", () => {
    expect(read(["-l", "5", "-k", "KEY"]).engine.globalInFlightMax).toBe(5);
  });

  test("that is a switch needs no value as a flag, and one in the environment", () => {
    expect(read(["--ephemeral", "--no-admin"])).toMatchObject({ isEphemeral: true, wantsAdmin: false });
    const env = { MILLRACE_EPHEMERAL: "true", MILLRACE_NO_ADMIN: "0" };
    expect(read([], env)).toMatchObject({ isEphemeral: true, wantsAdmin: true });
    expect(refusal([], { MILLRACE_EPHEMERAL: "maybe" })).toContain("MILLRACE_EPHEMERAL");
  });

  test("for the commits of enqueues follows the general one unless it is given", () => {
    expect(read(["--default-commit-mode", "buffered"]).engine.enqueueCommitMode).toBe("buffered");
    const both = ["--default-commit-mode", "buffered", "--enqueue-commit-mode", "fsync"];
    expect(read(both).engine).toMatchObject({ commitMode: "buffered", enqueueCommitMode: "fsync" });
  });

  test("of the scheduler is in the environment only", () => {
    expect(read([], { MILLRACE_SCHEDULER_BATCH_SIZE: "7" }).engine.schedulerPassMax).toBe(7);
    expect(refusal([], { MILLRACE_SCHEDULER_BATCH_SIZE: "0" })).toContain("MILLRACE_SCHEDULER_BATCH_SIZE");
    expect(refusal(["--scheduler-batch-size", "7"])).toContain("--scheduler-batch-size");
  });

  test("that licenses something is accepted and ignored", () => {
    expect(read(["--license-key", "K", "--license-key-check-interval", "x"])).toEqual(read());
  });
});

describe("refused", () => {
  test.each([
    ["port", "65536"],
    ["port", "-1"],
    ["port", "http"],
    ["host", ""],
    ["root-dir", " "],
    ["heartbeat-interval", "0"],
    ["heartbeat-interval", "soon"],
    ["reaper-check-interval", "0s"],
    ["global-in-flight-limit", "4294967296"],
    ["default-retry-limit", "1.5"],
    ["default-backoff-exponent", "-1"],
    ["default-backoff-exponent", "Infinity"],
    ["default-backoff-base", "50d"],
    ["default-dead-job-retention", "1 year"],
    ["default-commit-mode", "async"],
    ["enqueue-commit-mode", "FSYNC"],
    ["cache-size", "lots"],
    ["cache-size", "17GB"],
    ["enqueue-batch-size", "0"],
    ["complete-batch-size", "0"],
    ["max-body-size", "2GiB"],
    ["max-bulk-items", "many"],
    ["max-header-size", "65535"],
    ["max-header-size", "0"],
    ["log-format", "xml"],
    ["log-level", "loud"],
  ])("is --%s=%s, by the name under which it was given", (flag, text) => {
    expect(refusal([`--${flag}=${text}`])).toContain(`--${flag}`);
    if (text !== "") expect(refusal([], { [variableOf(flag)]: text })).toContain(variableOf(flag));
  });

  test("are unknown flags, words, and flags without their value", () => {
    expect(refusal(["--colour"])).toContain("--colour");
    expect(refusal(["now"])).toContain("now");
    expect(refusal(["--port"])).toContain("--port");
    expect(refusal(["--ephemeral=1"])).toContain("--ephemeral");
  });

  test.each(flagsNotBuilt)("is --%s, which is known and not built", (name) => {
    const argv = switchesNotBuilt.includes(name) ? [`--${name}`] : [`--${name}`, "x"];
    expect(refusal(argv)).toBe(`--${name} is not supported yet`);
    expect(refusal([], { [variableOf(name)]: "x" })).toBe(`${variableOf(name)} is not supported yet`);
  });

  test.each([
    "0.0.0.0",
    "::",
    "192.168.1.5",
    "::ffff:192.168.1.5",
    "example.org",
    "127.0.0.1.example.org",
    "1270.0.0.1",
  ])("is listening on %s, unless --insecure says so", (host) => {
    expect(refusal(["--host", host])).toMatch(new RegExp(`${host.replaceAll(".", "\\.")}.*--insecure`));
    expect(refusal([], { MILLRACE_HOST: host })).toContain("--insecure");
    const { host: listens, warnings } = read(["--host", host, "--insecure"]);
    expect(listens).toBe(host);
    expect(warnings).toEqual([expect.stringContaining(host)]);
  });
});

test.each(["127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost"])(
  "%s is this machine alone",
  (host) => {
    expect(read(["--host", host])).toMatchObject({ host, warnings: [] });
  },
);

test("an IPv6 address may stand in brackets", () => {
  expect(read(["--host", "[::1]"]).host).toBe("::1");
});

describe("what container platforms put into the environment", () => {
  test("is ignored with a warning where it would be taken for a port", () => {
    const { port, warnings } = read([], { MILLRACE_PORT: "tcp://10.0.0.1:7890" });
    expect(port).toBe(7890);
    expect(warnings).toEqual([expect.stringContaining("MILLRACE_PORT=tcp://10.0.0.1:7890")]);
    expect(read([], { MILLRACE_ADMIN_PORT: "tcp://10.0.0.1:80" }).port).toBe(7890);
  });

  test("is nothing to us under other names", () => {
    const env = { MILLRACE_SERVICE_HOST: "10.0.0.1", MILLRACE_PORT_7890_TCP: "tcp://10.0.0.1:7890", MILLRACE_URL: "x" };
    expect(read([], env)).toEqual(read());
  });
});

test("a filter for the log is ignored with a warning", () => {
  expect(read([], { MILLRACE_LOG_FILTER: "debug" }).warnings).toEqual([expect.stringContaining("MILLRACE_LOG_FILTER")]);
});

test("the help shows every flag with its default, and every variable without a flag", () => {
  const help = serveHelp();
  for (const [name, flag] of Object.entries<Flag>(flags)) {
    const line = help.split("\n").find((one) => new RegExp(`^ +(?:-., )?--${name}(?: |$)`).test(one));
    expect(line, name).toContain(flag.help);
    if (flag.default !== undefined) expect(line).toContain(`[${flag.default}]`);
    if (flag.short !== undefined) expect(line).toContain(`-${flag.short}, `);
  }
  for (const name of Object.keys(environmentOnly)) expect(help).toContain(name);
  expect(
    cases
      .map(([flag]) => flag)
      .concat("insecure", "no-admin", "ephemeral", "license-key", "license-key-check-interval")
      .sort(),
  ).toEqual(Object.keys(flags).sort());
});
