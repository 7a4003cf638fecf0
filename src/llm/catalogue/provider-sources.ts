/** Where a provider's models stand in models.dev's data, and what their prices mean. */
export interface ProviderSource {
  /** The ids under which models.dev lists the provider; of a model that stands under several the first counts. */
  readonly ids: readonly string[];
  /** The same for models that a plan pays for: their prices are left out. */
  readonly planIds?: readonly string[];
  /** A provider whose models are these where it has no list of its own. */
  readonly like?: string;
  /** No price is owed for each token (a plan, a login), or the owner's contract sets it: no listed price counts. */
  readonly unpriced?: true;
}

/** By the id of the provider's row. A provider that is not here has no models of its own in the catalogue. */
export const PROVIDER_SOURCES: Readonly<Record<string, ProviderSource>> = {
  openrouter: { ids: ["openrouter"] },
  anthropic: { ids: ["anthropic"] },
  "openai-api": { ids: ["openai"] },
  gemini: { ids: ["google"] },
  xai: { ids: ["xai"] },
  deepseek: { ids: ["deepseek"] },
  zai: { ids: ["zai"] },
  "kimi-coding": { ids: ["moonshotai"], planIds: ["kimi-for-coding"] },
  "kimi-coding-cn": { ids: ["moonshotai-cn"] },
  alibaba: { ids: ["alibaba"] },
  "alibaba-coding-plan": { ids: [], planIds: ["alibaba-coding-plan"], like: "alibaba", unpriced: true },
  nvidia: { ids: ["nvidia"] },
  novita: { ids: ["novita-ai"] },
  stepfun: { ids: ["stepfun"] },
  xiaomi: { ids: ["xiaomi"] },
  "tencent-tokenhub": { ids: ["tencent-tokenhub"] },
  kilocode: { ids: ["kilo"], like: "openrouter" },
  "ai-gateway": { ids: ["vercel"] },
  "opencode-zen": { ids: ["opencode"] },
  "opencode-go": { ids: [], planIds: ["opencode-go"], unpriced: true },
  "ollama-cloud": { ids: [], planIds: ["ollama-cloud"], unpriced: true },
  huggingface: { ids: ["huggingface"] },
  "azure-foundry": { ids: [], planIds: ["azure"], like: "openai-api", unpriced: true },
  minimax: { ids: ["minimax"] },
  "minimax-cn": { ids: ["minimax-cn"] },
  "minimax-oauth": { ids: [], like: "minimax", unpriced: true },
  copilot: { ids: [], planIds: ["github-copilot"], unpriced: true },
  bedrock: { ids: ["amazon-bedrock"] },
  nous: { ids: [], like: "openrouter", unpriced: true },
  "openai-codex": { ids: [], planIds: ["openai-codex"], unpriced: true },
  "xai-oauth": { ids: [], like: "xai", unpriced: true },
  "google-gemini-cli": { ids: [], like: "gemini", unpriced: true },
};

/** The provider at which a maker sells its models, by the names that other hosts give the maker. */
export const PROVIDER_OF_MAKER: Readonly<Record<string, string>> = {
  openai: "openai-api",
  anthropic: "anthropic",
  google: "gemini",
  "x-ai": "xai",
  xai: "xai",
  deepseek: "deepseek",
  "deepseek-ai": "deepseek",
  moonshotai: "kimi-coding",
  "z-ai": "zai",
  "zai-org": "zai",
  minimax: "minimax",
  minimaxai: "minimax",
  qwen: "alibaba",
  xiaomi: "xiaomi",
  stepfun: "stepfun",
  "stepfun-ai": "stepfun",
};
