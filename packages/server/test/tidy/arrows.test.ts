import { describe, expect, test } from "vitest";
import { checkArrows } from "./arrows.ts";
import { importsOf } from "./text-file.ts";

/** What the arrows say about one file of the given text. */
function complaints(path: string, text: string): string[] {
  return checkArrows([{ path: `packages/${path}`, text }]);
}

describe("arrows inside the server", () => {
  test("an import downwards is fine, and so is a neighbour of the same folder", () => {
    expect(
      complaints("server/src/store/store.ts", 'import { x } from "../kv/kv.ts";\nimport { y } from "./y.ts";'),
    ).toEqual([]);
  });

  test("an import upwards is a complaint that names both rows", () => {
    expect(complaints("server/src/store/store.ts", 'import { x } from "../engine/engine.ts";')).toEqual([
      "packages/server/src/store/store.ts: imports ../engine/engine.ts, but there is no arrow from store to engine",
    ]);
  });

  test("a type-only import is an import", () => {
    expect(complaints("server/src/index/indexes.ts", 'import type { X } from "../store/store.ts";')).toHaveLength(1);
  });

  test("an import over several lines is seen", () => {
    expect(complaints("server/src/job/job.ts", 'import {\n  a,\n  b,\n} from "../kv/kv.ts";')).toHaveLength(1);
  });

  test("a re-export is an import", () => {
    expect(complaints("server/src/job/job.ts", 'export { a } from "../kv/kv.ts";')).toHaveLength(1);
  });

  test("where only types may be imported a value is a complaint", () => {
    expect(complaints("server/src/http/router.ts", 'import type { Verbs } from "../engine/verbs.ts";')).toEqual([]);
    expect(complaints("server/src/http/router.ts", 'import { Engine } from "../engine/engine.ts";')).toHaveLength(1);
  });

  test("one file of a folder may be allowed alone", () => {
    expect(complaints("server/src/engine/core.ts", 'import { G } from "../kv/group-committer.ts";')).toEqual([]);
    expect(complaints("server/src/engine/core.ts", 'import { L } from "../kv/level-kv.ts";')).toHaveLength(1);
  });

  test("nothing below sees serve.ts or the files beside it, and those see everything", () => {
    expect(complaints("server/src/run-server.ts", 'import { serve } from "./serve.ts";')).toEqual([]);
    expect(complaints("server/src/config.ts", 'import type { S } from "./http/handler.ts";')).toEqual([]);
    expect(complaints("server/src/base/logger.ts", 'import { flags } from "../config-flags.ts";')).toHaveLength(1);
    expect(complaints("server/src/http/router.ts", 'import { serve } from "../serve.ts";')).toHaveLength(1);
  });

  test("a folder without a row is a complaint", () => {
    expect(complaints("server/src/attic/old.ts", 'import { x } from "../base/assert.ts";')).toHaveLength(1);
  });

  test("pure folders import no module of the platform", () => {
    expect(complaints("server/src/job/job.ts", 'import { createHash } from "node:crypto";')).toHaveLength(1);
    expect(complaints("server/src/store/store.ts", 'import { crc32 } from "node:zlib";')).toEqual([]);
  });
});

describe("arrows between packages", () => {
  test("the client imports the protocol and nothing else of ours", () => {
    expect(complaints("client/src/client.ts", 'import { x } from "@millrace/protocol/errors";')).toEqual([]);
    expect(complaints("client/src/client.ts", 'import type { X } from "@millrace/server/serve";')).toHaveLength(1);
  });

  test("the command reaches the server lazily, in one file", () => {
    const lazily = 'const { serve } = await import("@millrace/server/serve");';
    expect(complaints("cli/src/command-serve.ts", lazily)).toEqual([]);
    expect(complaints("cli/src/command-jobs.ts", lazily)).toHaveLength(1);
    expect(complaints("cli/src/command-serve.ts", 'import { serve } from "@millrace/server/serve";')).toHaveLength(1);
  });

  test("no path leads around a package's front door", () => {
    expect(complaints("client/src/client.ts", 'import { x } from "../../server/src/serve.ts";')).toHaveLength(1);
  });

  test("what is bought is used in its own place only", () => {
    expect(complaints("server/src/kv/level-kv.ts", 'import { ClassicLevel } from "classic-level";')).toEqual([]);
    expect(complaints("server/src/store/store.ts", 'import { ClassicLevel } from "classic-level";')).toHaveLength(1);
    expect(complaints("client/src/client.ts", 'import _ from "lodash";')).toHaveLength(1);
  });
});

test("an empty tree is a complaint", () => {
  expect(checkArrows([])).toEqual(["arrows: nothing to check"]);
});

test("prose in a comment is not taken for an import", () => {
  expect(importsOf({ path: "a.ts", text: '// import it from "./b.ts";\n/** Re-export from "./c.ts". */' })).toEqual([]);
});
