import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The search comparison runs in every tier where ripgrep is installed; this tier installs it.
    include: ["test/real/**/*.test.{ts,tsx}", "src/tools/search-files.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    fileParallelism: false,
    reporters: ["default", "./scripts/closing-line-reporter.mjs"],
  },
});
