import { nearestKey } from "../../config/nearest-key.ts";
import { providerIdOf } from "./provider-entry.ts";

/** What people call providers whose ids are other words, the likeliest id first. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  openai: ["openai-api", "openai-codex"],
  gpt: ["openai-api", "openai-codex"],
  chatgpt: ["openai-codex", "openai-api"],
  codex: ["openai-codex"],
  claude: ["anthropic"],
  "claude-code": ["anthropic"],
  google: ["gemini", "google-gemini-cli"],
  "google-ai-studio": ["gemini"],
  "gemini-cli": ["google-gemini-cli"],
  grok: ["xai", "xai-oauth"],
  "x-ai": ["xai"],
  supergrok: ["xai-oauth"],
  kimi: ["kimi-coding", "kimi-coding-cn"],
  moonshot: ["kimi-coding", "kimi-coding-cn"],
  moonshotai: ["kimi-coding", "kimi-coding-cn"],
  glm: ["zai"],
  zhipu: ["zai"],
  zhipuai: ["zai"],
  "z-ai": ["zai"],
  "z.ai": ["zai"],
  bigmodel: ["zai"],
  qwen: ["alibaba", "qwen-oauth"],
  dashscope: ["alibaba"],
  aliyun: ["alibaba"],
  aws: ["bedrock"],
  amazon: ["bedrock"],
  "amazon-bedrock": ["bedrock"],
  azure: ["azure-foundry"],
  "azure-openai": ["azure-foundry"],
  hf: ["huggingface"],
  "hugging-face": ["huggingface"],
  github: ["copilot"],
  "github-copilot": ["copilot"],
  nousresearch: ["nous"],
  vercel: ["ai-gateway"],
  opencode: ["opencode-zen", "opencode-go"],
  mimo: ["xiaomi"],
  tencent: ["tencent-tokenhub"],
  hunyuan: ["tencent-tokenhub"],
  kilo: ["kilocode"],
  local: ["ollama", "lmstudio", "custom"],
  vllm: ["custom"],
  "llama.cpp": ["custom"],
  llamacpp: ["custom"],
};

/** Of `ids`, those that were most likely meant by a name that none of them is, the likeliest first; none = nothing is near. */
export const nearProviders = (written: string, ids: readonly string[]): readonly string[] => {
  const name = providerIdOf(written);
  const others = Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? []) : [];
  const meant = others.filter((id) => ids.includes(id));
  if (meant.length > 0) return meant;
  const nearest = nearestKey(name, ids);
  return nearest === undefined ? [] : [nearest];
};
