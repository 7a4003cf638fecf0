import { describe, expect, test } from "vitest";
import { refusal, resolve, target, type Given } from "../testing/resolve-rig.ts";
import { keyCredential } from "./credential.ts";
import type { ModelTarget } from "./model-target.ts";
import type { ProviderRow } from "./providers/provider-row.ts";
import { PROVIDER_ROWS } from "./providers/rows.ts";

const KEYS = { OPENROUTER_API_KEY: "or-key", DEEPSEEK_API_KEY: "ds-key", OPENAI_API_KEY: "oa-key" };

describe("the wire", () => {
  test("every row of the table resolves to a call or to a refusal that says what works", () => {
    for (const row of PROVIDER_ROWS) {
      const environment = Object.fromEntries([
        ...row.keyEnv.map((name) => [name, "k"]),
        ...(row.baseUrl === undefined && row.baseUrlEnv !== undefined
          ? [[row.baseUrlEnv, "https://r.example/openai/v1"]]
          : []),
      ]) as Record<string, string>;
      const base_url = row.id === "custom" ? { base_url: "http://127.0.0.1:1/v1" } : {};
      const found = resolve({ model: { default: "m", provider: row.id, ...base_url }, environment });
      if (found.kind === "model") {
        expect(found.target.wire, row.id).toBe(row.wire === "by_url" ? "chat_completions" : row.wire);
      } else {
        const code = found.kind === "none" && found.error.code;
        expect(code, row.id).toBe(row.auth === "oauth" ? "llm.no_login" : "llm.cannot_call");
        expect(found.kind === "none" && found.error.hint, row.id).toContain(
          code === "llm.no_login" ? `hermes auth add ${row.id}` : "openrouter",
        );
      }
    }
  });

  test("the address tells the format of an endpoint that no table knows", () => {
    const at = (base_url: string): Given => ({ model: { default: "m", base_url } });
    expect(target(at("https://x.example/v1")).wire).toBe("chat_completions");
    for (const end of ["", "/", "/v1", "/v1/messages"]) {
      expect(target(at(`https://x.example/anthropic${end}`)).wire, end).toBe("anthropic_messages");
    }
    expect(target(at("https://api.kimi.com/coding")).wire).toBe("anthropic_messages");
    expect(
      target({
        ...at("https://x.example/anthropic"),
        model: { default: "m", base_url: "https://x.example/anthropic", api_mode: "chat_completions" },
      }).wire,
    ).toBe("chat_completions");
  });

  test("OpenAI and xAI are called by their Responses format, and by chat completions where that is asked for", () => {
    const openai = (name: string, more: object = {}): ModelTarget =>
      target({ model: { default: name, provider: "openai-api", ...more }, environment: KEYS });
    const asked = { reasoningField: "reasoning_effort", reasoningSummary: true, encryptedReasoning: true };
    expect(openai("gpt-5.1")).toMatchObject({
      wire: "codex_responses",
      quirks: { ...asked, maxTokensField: "max_completion_tokens", systemRole: "developer" },
    });
    expect(openai("gpt-4o")).toMatchObject({ wire: "codex_responses" });
    for (const name of ["gpt-4o", "gpt-4.1"]) {
      expect(openai(name).quirks).toEqual({ maxTokensField: "max_completion_tokens" });
    }
    expect(openai("gpt-5-chat-latest").quirks).not.toHaveProperty("encryptedReasoning");
    expect(openai("gpt-5.1", { api_mode: "chat_completions" }).wire).toBe("chat_completions");
  });

  test("xAI is asked for an effort only where the model takes one", () => {
    const quirksOf = (name: string): unknown =>
      target({ model: { default: name, provider: "xai" }, environment: { XAI_API_KEY: "k" } }).quirks;
    for (const name of ["grok-4.3", "grok-4.7-latest", "grok-3-mini", "grok-5"]) {
      expect(quirksOf(name), name).toEqual({ encryptedReasoning: true, reasoningField: "reasoning_effort" });
    }
    for (const name of ["grok-4", "grok-4-fast", "grok-4.20-reasoning", "grok-3", "grok-code-fast-1"]) {
      expect(quirksOf(name), name).toEqual({ encryptedReasoning: true });
    }
  });

  test("a provider's facts hold at its address, whatever it is called there", () => {
    const at = (base_url: string, name: string): ModelTarget => target({ model: { default: name, base_url } });
    expect(at("https://api.openai.com/v1", "o3")).toMatchObject({
      wire: "codex_responses",
      quirks: { reasoningField: "reasoning_effort", encryptedReasoning: true },
    });
    expect(at("https://api.x.ai/v1", "grok-4").quirks).toEqual({ encryptedReasoning: true });
    expect(at("https://x.example/v1", "o3").quirks).toEqual({});
  });

  test("OpenAI's provider behind an address of one's own speaks what servers there speak, unless told otherwise", () => {
    const base_url = "http://10.0.0.5/v1";
    const own = (more: object = {}): ModelTarget =>
      target({ model: { default: "gpt-5.1", provider: "openai-api", base_url, ...more } });
    expect(own().wire).toBe("chat_completions");
    expect(own({ api_mode: "codex_responses" })).toMatchObject({
      wire: "codex_responses",
      quirks: { maxTokensField: "max_completion_tokens" },
    });
  });

  test("an address that names the resource is cut to what the vendor's own client takes", () => {
    for (const end of ["", "/", "/responses", "/responses/", "/messages"]) {
      const model = { default: "m", base_url: `https://x.example/v1${end}`, api_mode: "codex_responses" as const };
      expect(target({ model })).toMatchObject({ wire: "codex_responses", baseUrl: "https://x.example/v1" });
    }
  });

  test("Anthropic is called by its own format, its models by their own names, and asked to think as each can", () => {
    const environment = { ANTHROPIC_API_KEY: "k" };
    const at = (name: string): ModelTarget => target({ model: { default: name, provider: "anthropic" }, environment });
    expect(target({ model: { default: "anthropic/claude-sonnet-4.5" }, environment })).toMatchObject({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      wire: "anthropic_messages",
      baseUrl: "https://api.anthropic.com",
      info: { contextWindow: 200_000, maxOutputTokens: 64_000 },
    });
    const thinking: readonly (readonly [string, string | undefined])[] = [
      ["claude-3-haiku-20240307", undefined],
      ["claude-3-5-sonnet-20241022", undefined],
      ["claude-3.7-sonnet", "budget"],
      ["claude-sonnet-4", "budget"],
      ["claude-sonnet-4-20250514", "budget"],
      ["claude-opus-4-1-20250805", "budget"],
      ["Claude-Opus-4.5", "budget"],
      ["claude-haiku-4-5-20251001", "budget"],
      ["claude-opus-4-6", "effort"],
      ["claude-opus-4.8", "effort_xhigh"],
      ["claude-opus-5", "effort_xhigh"],
      ["claude-fable-5", "effort_xhigh"],
      ["claude-next", undefined],
    ];
    for (const [name, expected] of thinking) {
      expect(at(name).quirks, name).toEqual({
        promptCache: "automatic",
        ...(expected === undefined ? {} : { thinking: expected }),
      });
    }
  });

  test("what holds at Anthropic's own address does not hold behind another one of the same format", () => {
    const own = target({
      model: { default: "claude-opus-4.5", provider: "anthropic" },
      environment: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example" },
    });
    expect(own).toMatchObject({ wire: "anthropic_messages", model: "claude-opus-4.5", quirks: {} });
    const minimax = { model: { default: "MiniMax-M2", provider: "minimax" }, environment: { MINIMAX_API_KEY: "k" } };
    expect(target(minimax)).toMatchObject({ wire: "anthropic_messages", quirks: { bearerKey: true } });
  });

  test("a maker's model of an alias comes from the host of many makers until the maker's own key is there", () => {
    const given = (environment: Readonly<Record<string, string>>): Given => ({
      model: { provider: "openrouter" },
      aliases: { s: { model: "claude-sonnet-4.5", provider: "anthropic" } },
      flags: { model: "s" },
      environment: { OPENROUTER_API_KEY: "or", ...environment },
    });
    expect(target(given({}))).toMatchObject({ provider: "openrouter", model: "anthropic/claude-sonnet-4.5" });
    expect(target(given({ ANTHROPIC_API_KEY: "k" }))).toMatchObject({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
    });
  });

  test("a provider of logins needs one, and is called with it", () => {
    const given = { model: { default: "gpt-5.1-codex", provider: "openai-codex" } };
    const refused = refusal(given);
    expect([refused.code, refused.hint]).toEqual(["llm.no_login", "hermes auth add openai-codex"]);
    const login = { id: "a1b2c3", label: "me", source: "device_code", secret: keyCredential("token") };
    expect(target({ ...given, pools: { "openai-codex": login } })).toMatchObject({
      baseUrl: "https://chatgpt.com/backend-api/codex",
      wire: "codex_responses",
      credential: keyCredential("token"),
    });
  });

  test("auto takes a login of one's own, and never another program's", () => {
    const login = (source: string) => ({ id: "a1b2c3", label: "l", source, secret: keyCredential("t") });
    const given = { model: { default: "m" } };
    expect(target({ ...given, pools: { nous: login("device_code") } }).provider).toBe("nous");
    for (const source of ["env:GITHUB_TOKEN", "gh_cli"]) {
      expect(refusal({ ...given, pools: { copilot: login(source) } }).code, source).toBe("llm.no_model");
    }
  });

  test("a credential's own address is used, and the key decides the format (compat 4.1)", () => {
    const found = resolve({ model: { default: "m", provider: "kimi-coding" }, environment: { KIMI_API_KEY: "k" } });
    if (found.kind !== "model") throw new Error(found.kind);
    const pooled = (value: string, more: object = {}) => ({
      id: "a1b2c3",
      label: "l",
      source: "manual",
      secret: keyCredential(value),
      ...more,
    });
    expect(found.route.targetWith(pooled("sk-kimi-x"))).toMatchObject({
      baseUrl: "https://api.kimi.com/coding",
      wire: "anthropic_messages",
      credential: keyCredential("sk-kimi-x"),
    });
    const own = found.route.targetWith(pooled("other", { baseUrl: "https://own.example/v1" }));
    expect([own.baseUrl, own.wire]).toEqual(["https://own.example/v1", "chat_completions"]);
  });

  test("a key of Kimi's coding plan goes to its own address", () => {
    expect(
      target({ model: { default: "m", provider: "kimi-coding" }, environment: { KIMI_API_KEY: "sk-kimi-1" } }),
    ).toMatchObject({
      baseUrl: "https://api.kimi.com/coding",
      wire: "anthropic_messages",
      quirks: { replaysReasoning: true },
    });
    expect(
      target({ model: { default: "m", provider: "kimi-coding" }, environment: { KIMI_API_KEY: "sk-1" } }).baseUrl,
    ).toBe("https://api.moonshot.ai/v1");
  });
});

describe("rows that a plugin adds", () => {
  const row: ProviderRow = {
    id: "Acme",
    label: "Acme",
    auth: "api_key",
    baseUrl: "https://api.acme.example/v1",
    keyEnv: ["ACME_API_KEY"],
    wire: "codex_responses",
    quirks: { headers: { "x-acme": "1" } },
    modelQuirks: [{ models: /^big/, quirks: { encryptedReasoning: true } }],
  };
  const given = {
    addedProviders: [row],
    pools: { acme: { id: "a", label: "a", source: "manual", secret: keyCredential("k") } },
  };

  test("are resolved like the built-in ones: by flag, by the model's name, and by `auto` last", () => {
    const expected = { provider: "acme", model: "big-1", wire: "codex_responses", baseUrl: row.baseUrl };
    const quirks = { headers: { "x-acme": "1" }, encryptedReasoning: true };
    for (const flags of [
      { provider: "acme", model: "big-1" },
      { model: "acme:big-1" },
      { model: "acme/big-1" },
      { model: "big-1" },
    ]) {
      expect(target({ ...given, flags }), JSON.stringify(flags)).toMatchObject({ ...expected, quirks });
    }
    expect(target({ ...given, flags: { model: "m" }, environment: KEYS }).provider).toBe("openrouter");
    expect(refusal({ addedProviders: [row], flags: { provider: "acme", model: "m" } }).message).toContain(
      "ACME_API_KEY",
    );
  });

  test("cannot take a built-in provider's place", () => {
    expect(() => resolve({ addedProviders: [{ ...row, id: "OpenRouter" }] })).toThrow(
      /id "OpenRouter", which there is already/,
    );
  });
});
