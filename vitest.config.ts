import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["millrace-source"] },
  ssr: { resolve: { conditions: ["millrace-source"] } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "bench/test/**/*.test.ts", "demo/test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 20_000,
  },
});
