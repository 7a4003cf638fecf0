/** Windows of models that no provider of the catalogue lists and people run themselves, by the comparable name. */
export const OTHER_WINDOWS: Readonly<Record<string, number>> = {
  "hermes-4-70b": 131_072,
  "hermes-4-405b": 131_072,
  "hermes-3-llama-3-1-70b": 131_072,
  "phi-4": 16_384,
};

/** Windows of whole families, for models that are not listed; the first row whose beginning fits. */
export const FAMILY_WINDOWS: readonly (readonly [beginning: string, contextWindow: number])[] = [
  ["claude-", 200_000],
  ["gpt-4.1", 1_047_576],
  ["gpt-4o", 128_000],
  ["gpt-5", 400_000],
  ["gpt-6", 400_000],
  ["gpt-oss", 131_072],
  ["o1", 200_000],
  ["o3", 200_000],
  ["o4", 200_000],
  ["gemini-", 1_048_576],
  ["gemma-3", 131_072],
  ["gemma-4", 262_144],
  ["grok-3", 131_072],
  ["grok-", 256_000],
  ["deepseek", 128_000],
  ["kimi-k2", 262_144],
  ["glm-4.5", 131_072],
  ["glm-", 200_000],
  ["minimax-m", 204_800],
  ["hermes-4", 131_072],
  ["llama-3", 131_072],
];

/** A few models of a provider that people may want to name, the ablest first. */
export const EXAMPLE_MODELS: Readonly<Record<string, readonly string[]>> = {
  openrouter: ["anthropic/claude-sonnet-5.5", "openai/gpt-6.2-sol", "z-ai/glm-5.3"],
  nous: ["anthropic/claude-sonnet-5.5", "openai/gpt-6.2-sol", "z-ai/glm-5.3"],
  "ai-gateway": ["anthropic/claude-sonnet-5.5", "openai/gpt-6.2-sol", "google/gemini-4-neon"],
  anthropic: ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"],
  "openai-api": ["gpt-6.2-sol", "gpt-6.1-terra", "gpt-6-luna"],
  "openai-codex": ["gpt-6.2-sol", "gpt-6.1-terra", "gpt-6-luna"],
  gemini: ["gemini-4-neon", "gemini-4-argon", "gemini-3.8-flash"],
  xai: ["grok-4.7", "grok-4.6", "grok-4.3"],
  deepseek: ["deepseek-v4-pro", "deepseek-flash"],
  "kimi-coding": ["kimi-k3.1-pro", "kimi-k3", "kimi-k2.7-code"],
  zai: ["glm-5.3", "glm-5.3-flash", "glm-4.7"],
  minimax: ["MiniMax-M3.1-Flash", "MiniMax-M3", "MiniMax-M2.7"],
  alibaba: ["qwen4-max-preview", "qwen3.8-max", "qwen3.8-flash"],
};
