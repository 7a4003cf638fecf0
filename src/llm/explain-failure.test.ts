import { describe, expect, test } from "vitest";
import type { CalledPlace } from "./called-place.ts";
import { explainFailure } from "./explain-failure.ts";
import type { ProviderError } from "./provider-error.ts";

const PLACE: CalledPlace = {
  provider: "den",
  model: "m",
  baseUrl: "https://api.example/v1",
  wire: "chat_completions",
  local: false,
  access: "key",
  addressKey: undefined,
};

const said = (error: Omit<ProviderError, "message">, at: Partial<CalledPlace> = {}): string => {
  const { meaning, next } = explainFailure({ ...error, message: "said" }, { target: { ...PLACE, ...at } });
  return `${meaning} ${next}`;
};

describe("a credential that is not accepted", () => {
  test.each([
    ["key", /the key\. .*hermes auth list den .*hermes auth add den /],
    ["login", /the login\. Sign in again: hermes auth add den --type oauth$/],
    ["settings", /hermes config show/],
    ["none", /hermes auth add den$/],
  ] as const)("%s", (access, words) => {
    expect(said({ kind: "auth", status: 401 }, { access })).toMatch(words);
  });

  test("only a login is signed in again", () => {
    for (const access of ["key", "settings", "none"] as const)
      expect(said({ kind: "auth", status: 401 }, { access })).not.toMatch(/sign in/i);
  });

  test("an address of one's own has no pool: its key is a setting", () => {
    const words = said({ kind: "auth", status: 401 }, { provider: "custom", access: "none" });
    expect(words).toMatch(/hermes config set model\.api_key$/);
  });

  test("403 is no matter of the key", () => {
    const words = said({ kind: "auth", status: 403 });
    expect(words).toMatch(/does not allow this.*another model.*account/);
    expect(words).not.toMatch(/hermes auth|the key/);
  });
});

describe("an address", () => {
  test.each(["network", "protocol", "empty_stream"] as const)(
    "%s names the setting that holds it, if one does",
    (kind) => {
      const words = said({ kind }, { addressKey: "providers.den.base_url" });
      expect(words).toContain("hermes config get providers.den.base_url");
      expect(said({ kind })).not.toContain("hermes config get");
    },
  );

  test("a web page in place of an answer is not tried again", () => {
    expect(said({ kind: "protocol" })).toMatch(/not of the format chat_completions.*web page/);
    expect(said({ kind: "protocol" })).not.toMatch(/try again/i);
  });

  test("a connection that broke in an answer had been made", () => {
    expect(said({ kind: "network" })).toContain("api.example cannot be reached");
    expect(said({ kind: "network", broken: true })).toMatch(/broke in the middle of the answer/);
    expect(said({ kind: "network", broken: true })).not.toContain("cannot be reached");
  });
});

test("a limit of time is named with the provider that it is set for", () => {
  expect(said({ kind: "stalled" })).toContain("providers.den.stale_timeout_seconds");
  expect(said({ kind: "timeout" }, { local: true })).toContain("providers.den.request_timeout_seconds");
});
