import { expect, test } from "vitest";
import { agentErrors } from "../agent/errors.ts";
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
  const failed = agentErrors.providerFailed({ provider: "den", model: "m", kind: "invalid_request", message });
  expect(printed(failed)).toMatch(/^✗ den \(m\) did not answer: bad key⟦U\+202E⟧\nagain\n {2}\S.*\n$/);
  expect(printed(new Error(message))).toContain(": bad key⟦U+202E⟧\nagain\n");
});

test("what to do about a refused key or login names the commands for both", () => {
  const refused = agentErrors.providerFailed({ provider: "xai-oauth", model: "m", kind: "auth", message: "no" });
  expect(printed(refused)).toContain("`hermes auth add xai-oauth` adds another key or signs in again");
});
