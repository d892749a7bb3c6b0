// Starts the simulation, which is TypeScript like all tests: Vite, which the tests need anyway, joins it into one file first.
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const outDir = here("../../../../.cache/sim");

await build({
  configFile: false,
  root: here("."),
  logLevel: "warn",
  resolve: { conditions: ["millrace-source"] },
  ssr: { noExternal: [/^@millrace\//], resolve: { conditions: ["millrace-source"] } },
  build: { ssr: here("main.ts"), outDir, emptyOutDir: true, minify: false, sourcemap: true, target: "node20" },
});
process.setSourceMapsEnabled(true);
const { main } = await import(new URL("../../../../.cache/sim/main.js", import.meta.url).href);
process.exitCode = await main(process.argv.slice(2));
