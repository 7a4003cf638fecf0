import { describe, expect, test } from "vitest";
import { target, type Given } from "../../../testing/resolve-rig.ts";
import type { ModelTarget } from "../../model-target.ts";

const environment = { GEMINI_API_KEY: "k" };
const at = (name: string, more: Given["model"] = {}): ModelTarget =>
  target({ model: { default: name, provider: "gemini", ...more }, environment });

const LATER = { signedCalls: true, imagesInResults: true };

describe("Google's models, each as it can be asked", () => {
  test.each([
    ["gemini-2.0-flash", {}],
    ["gemini-2.5-pro", { googleThinking: { by: "budget", least: 128, most: 32_768, canBeOff: false } }],
    ["gemini-2.5-flash", { googleThinking: { by: "budget", least: 1, most: 24_576, canBeOff: true } }],
    ["gemini-2.5-flash-lite", { googleThinking: { by: "budget", least: 512, most: 24_576, canBeOff: true } }],
    ["gemini-2.5-flash-image", {}],
    ["gemini-2.5-flash-preview-tts", {}],
    ["gemini-3-pro-preview", { ...LATER, googleThinking: { by: "level", levels: ["low", "high"] } }],
    ["models/gemini-3.1-pro-preview", { ...LATER, googleThinking: { by: "level", levels: ["low", "medium", "high"] } }],
    ["gemini-3-flash", { ...LATER, googleThinking: { by: "level", levels: ["minimal", "low", "medium", "high"] } }],
    [
      "gemini-3.6-flash-lite",
      { ...LATER, googleThinking: { by: "level", levels: ["minimal", "low", "medium", "high"] } },
    ],
    ["gemini-3-pro-image-preview", LATER],
    ["gemini-flash-latest", LATER],
    ["gemma-3-27b-it", {}],
  ])("%s", (name, quirks) => {
    expect(at(name)).toMatchObject({ wire: "gemini", baseUrl: "https://generativelanguage.googleapis.com/v1beta" });
    expect(at(name).quirks).toEqual(quirks);
  });

  test("behind another address too, since no other models speak the format", () => {
    const proxy = target({
      model: { default: "gemini-3-flash", base_url: "https://proxy.example", api_mode: "gemini" },
    });
    expect(proxy).toMatchObject({ wire: "gemini", quirks: LATER });
  });

  test("Code Assist's provider speaks its form", () => {
    const secret = { kind: "key", value: "ya29.x", project: "proj" } as const;
    const login = { id: "a1b2c3", label: "l", source: "google_oauth", secret };
    const found = target({
      model: { default: "gemini-3-flash", provider: "google-gemini-cli" },
      pools: { "google-gemini-cli": login },
    });
    expect(found).toMatchObject({
      wire: "gemini",
      baseUrl: "https://cloudcode-pa.googleapis.com",
      credential: secret,
      quirks: { ...LATER, cloudCode: true, bearerKey: true },
    });
  });
});

describe("the address tells the format", () => {
  const google = "https://generativelanguage.googleapis.com";
  test.each([
    [`${google}/v1beta/openai`, "chat_completions"],
    [`${google}/v1beta/openai/`, "chat_completions"],
    [`${google}/v1beta`, "gemini"],
    ["https://proxy.example/gemini", "gemini"],
  ])("of the provider at %s: %s", (base_url, wire) => {
    expect(at("gemini-2.5-pro", { base_url }).wire).toBe(wire);
  });

  test.each([
    [`${google}/v1beta/openai`, "chat_completions"],
    [`${google}/v1beta`, "gemini"],
  ])("of an endpoint at %s: %s", (base_url, wire) => {
    expect(target({ model: { default: "gemini-2.5-pro", base_url, api_key: "k" } }).wire).toBe(wire);
  });

  test("an explicit format wins", () => {
    expect(at("gemini-2.5-pro", { api_mode: "chat_completions" }).wire).toBe("chat_completions");
  });
});
