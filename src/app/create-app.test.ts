import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempApp } from "../testing/temp-app.ts";

test("what was made last is closed first, and one that fails to close keeps none of the others open", async () => {
  await using temp = createTempApp();
  const app = temp.again();
  const closed: string[] = [];
  app.onClose(async () => void closed.push("first"));
  app.onClose(async () => {
    throw new Error("stuck");
  });
  app.onClose(async () => void closed.push("last"));
  const closing = app[Symbol.asyncDispose]();
  await expect(closing).rejects.toThrow("stuck");
  expect(closed).toEqual(["last", "first"]);
  await app[Symbol.asyncDispose]();
  expect(closed).toHaveLength(2);
});

test("R-REDACT-1: the owner's own keys are masked wherever they turn up, whatever stands before them", async () => {
  const [inFile, inConfig, inProcess] = ["plain-9f8e7d6c5b4a39281706", "0p4qu3-c0nf1g-value77", "Tr0ub4dor&3"];
  const [key, refresh] = ["opaque-5f4e3d2c1b0a99887766", "rt-0a1b2c3d4e5f60718293"];
  const entry = { id: "aaaaaa", source: "manual", access_token: key, refresh_token: refresh, label: "work" };
  await using temp = createTempApp({
    config: `providers:\n  den:\n    base_url: http://127.0.0.1:1/v1\n    api_key: ${inConfig}\n`,
    environment: { MY_DB_PASSWORD: inProcess },
    prepare: (home) => {
      writeFileSync(join(home, ".env"), `OPENROUTER_API_KEY=${inFile}\n`, { mode: 0o600 });
      const auth = { credential_pool: { openrouter: [entry] } };
      writeFileSync(join(home, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
    },
  });
  expect(temp.app.redactor.text("manual work aaaaaa")).toBe("manual work aaaaaa");
  for (const secret of [inFile, inConfig, inProcess, key, refresh]) {
    expect(temp.app.redactor.text(`it says ${secret} here`)).toMatch(/^it says «secret:\w+:[0-9a-f]{4}» here$/);
  }
});
