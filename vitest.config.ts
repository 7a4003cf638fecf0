import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.{ts,tsx}", "test/**/*.test.{ts,tsx}"],
    exclude: ["test/real/**", "test/soak/**", "node_modules/**"],
    testTimeout: 20_000,
    pool: "forks",
  },
});
