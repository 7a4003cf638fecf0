import { expect, test } from "vitest";
import { providerFailure } from "../agent/errors.ts";
import type { Output } from "./output.ts";
import { reportError } from "./report-error.ts";

/** What a failure looks like on standard error. */
const printed = (thrown: unknown, json = false): string => {
  const written: string[] = [];
  const output: Pick<Output, "stderr"> = { stderr: (text) => written.push(text) };
  reportError(thrown, output as Output, { json, debug: false });
  return written.join("");
};

test("a provider's words in a failure cannot control the terminal", () => {
  const message = "bad\u001B[2J\u001B]0;owned\u0007 \u009B31mkey\u202E\r\nagain";
  const failed = providerFailure({ provider: "den", model: "m" }, { kind: "invalid_request", message }, undefined);
  expect(printed(failed)).toMatch(/^✗ den \(m\) did not answer: bad key⟦U\+202E⟧\nagain\n {2}\S.*\n$/);
  expect(printed(new Error(message))).toContain(": bad key⟦U+202E⟧\nagain\n");
});

test("what to do about a refused key or login names the command for what it is", () => {
  const at = { model: "m", baseUrl: "https://api.example/v1", wire: "codex_responses", local: false } as const;
  const error = { kind: "auth", status: 401, message: "no" } as const;
  const refused = (provider: string, access: "login" | "key") =>
    printed(providerFailure({ provider, model: "m" }, error, { ...at, provider, access, addressKey: undefined }));
  expect(refused("xai-oauth", "login")).toContain("Sign in again: hermes auth add xai-oauth --type oauth");
  expect(refused("xai", "key")).toContain("hermes auth add xai adds another");
  expect(refused("xai", "key")).not.toContain("ign in");
});
