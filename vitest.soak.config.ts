import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/soak/**/*.test.{ts,tsx}"],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    pool: "forks",
    fileParallelism: false,
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
  },
});
