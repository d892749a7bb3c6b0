#!/usr/bin/env node
// Committed so that npm can link the command before the first build.
import("../dist/main.js").then(
  (main) => main.run(process.argv.slice(2)),
  (error) => {
    if (error?.code === "ERR_MODULE_NOT_FOUND" && String(error.message).includes("dist/main.js")) {
      process.stderr.write("millrace is not built yet: run `npm run build` in the repository root.\n");
      process.exitCode = 1;
      return;
    }
    throw error;
  },
);
