import { describe, expect, test } from "vitest";
import { BUILT_WIRES } from "../config/wire-ids.ts";
import { refusal, resolve, target, type Given } from "../testing/resolve-rig.ts";
import type { ModelTarget } from "./model-target.ts";
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
      if (found.kind === "model") expect(BUILT_WIRES, row.id).toContain(found.target.wire);
      else {
        expect(found.kind === "none" && found.error.code, row.id).toBe("llm.wire_not_built");
        expect(found.kind === "none" && found.error.hint, row.id).toContain("openrouter");
      }
    }
  });

  test("providers of other formats are refused, by name, also when theirs is the only key", () => {
    expect(
      refusal({ model: { default: "m", provider: "anthropic" }, environment: { ANTHROPIC_API_KEY: "k" } }),
    ).toMatchObject({
      code: "llm.wire_not_built",
      message: expect.stringContaining("Anthropic's Messages format") as string,
    });
    expect(refusal({ model: { default: "m" }, environment: { ANTHROPIC_API_KEY: "k" } }).code).toBe(
      "llm.wire_not_built",
    );
  });

  test("the address tells the format of an endpoint that no table knows", () => {
    const at = (base_url: string): Given => ({ model: { default: "m", base_url } });
    expect(target(at("https://x.example/v1")).wire).toBe("chat_completions");
    expect(refusal(at("https://x.example/anthropic")).message).toContain("Anthropic's Messages format");
    expect(refusal(at("https://api.kimi.com/coding")).message).toContain("Anthropic's Messages format");
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
    for (const end of ["", "/", "/responses", "/responses/"]) {
      const model = { default: "m", base_url: `https://x.example/v1${end}`, api_mode: "codex_responses" as const };
      expect(target({ model })).toMatchObject({ wire: "codex_responses", baseUrl: "https://x.example/v1" });
    }
  });

  test("a ChatGPT login is not in this version, whatever the format", () => {
    const refused = refusal({ model: { default: "gpt-5.1-codex", provider: "openai-codex" } });
    expect([refused.code, refused.message]).toEqual(["llm.wire_not_built", expect.stringContaining("a login")]);
  });

  test("a key of Kimi's coding plan goes to its own address", () => {
    expect(
      refusal({ model: { default: "m", provider: "kimi-coding" }, environment: { KIMI_API_KEY: "sk-kimi-1" } }).code,
    ).toBe("llm.wire_not_built");
    expect(
      target({ model: { default: "m", provider: "kimi-coding" }, environment: { KIMI_API_KEY: "sk-1" } }).baseUrl,
    ).toBe("https://api.moonshot.ai/v1");
  });
});
