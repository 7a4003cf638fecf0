import { COPILOT_EDITOR_HEADERS } from "./copilot-headers.ts";
import type { ProviderRow } from "./provider-row.ts";

const chat = (
  id: string,
  label: string,
  more: Omit<ProviderRow, "id" | "label" | "auth" | "wire" | "quirks"> & Partial<Pick<ProviderRow, "auth" | "quirks">>,
): ProviderRow => ({ id, label, auth: "api_key", wire: "chat_completions", quirks: {}, ...more });

/** Google's address speaks OpenAI's format below this path. */
const OPENAI_FORM = /\/openai\/?$/;

/**
 * The built-in providers. Their order is the order in which `provider: auto` looks for a credential; rows that cannot be called in
 * this version are passed over. Ids, addresses and variables are those of the existing system (compat, appendix D).
 */
export const PROVIDER_ROWS: readonly ProviderRow[] = [
  chat("openrouter", "OpenRouter", {
    smallModel: "google/gemini-2.5-flash",
    baseUrl: "https://openrouter.ai/api/v1",
    keyEnv: ["OPENROUTER_API_KEY"],
    namesCarryMaker: true,
    quirks: { reasoningField: "reasoning" },
  }),
  {
    id: "anthropic",
    label: "Anthropic",
    smallModel: "claude-haiku-4-5",
    auth: "api_key",
    baseUrl: "https://api.anthropic.com",
    keyEnv: ["ANTHROPIC_API_KEY", "ANTHROPIC_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    wire: "anthropic_messages",
    namesHaveDashes: true,
    quirks: {},
    // A name that fits none of the last three is asked nothing: the API refuses what a model does not know.
    modelQuirks: [
      { models: /./, quirks: { promptCache: "automatic" } },
      {
        models: /^claude-(?:3-7(?!\d)|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-20\d{6}|$))/i,
        quirks: { thinking: "budget" },
      },
      { models: /^claude-(?:(?:opus|sonnet|haiku)-4-6(?!\d)|mythos-preview)/i, quirks: { thinking: "effort" } },
      { models: /^claude-[a-z]+-(?:4-[7-9]|[5-9])(?!\d)/i, quirks: { thinking: "effort_xhigh" } },
    ],
  },
  {
    id: "openai-api",
    label: "OpenAI",
    smallModel: "gpt-5-mini",
    auth: "api_key",
    baseUrl: "https://api.openai.com/v1",
    keyEnv: ["OPENAI_API_KEY"],
    baseUrlEnv: "OPENAI_BASE_URL",
    wire: "codex_responses",
    speaksChat: true,
    quirks: { maxTokensField: "max_completion_tokens" },
    // What is asked about reasoning is refused for models that do not reason.
    modelQuirks: [
      {
        models: /^(?:gpt-5(?!.*-chat)|o\d|codex)/i,
        quirks: { reasoningField: "reasoning_effort", reasoningSummary: true, encryptedReasoning: true },
      },
      { models: /^(?:gpt-5|codex|o\d)/i, quirks: { systemRole: "developer" } },
    ],
  },
  {
    id: "gemini",
    label: "Google Gemini",
    smallModel: "gemini-2.5-flash",
    auth: "api_key",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyEnv: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    baseUrlEnv: "GEMINI_BASE_URL",
    wire: "gemini",
    pathWires: [{ path: OPENAI_FORM, wire: "chat_completions" }],
    quirks: {},
    modelsKnownAnywhere: true,
    // What is asked about thinking is refused for models that do not think, and those that do know different words for how much.
    modelQuirks: [
      {
        models: /(?:^|\/)gemini-2\.5-pro(?!.*(?:tts|live))/i,
        quirks: { googleThinking: { by: "budget", least: 128, most: 32_768, canBeOff: false } },
      },
      {
        models: /(?:^|\/)gemini-2\.5-flash(?!-lite)(?!.*(?:image|tts|live|audio))/i,
        quirks: { googleThinking: { by: "budget", least: 1, most: 24_576, canBeOff: true } },
      },
      {
        models: /(?:^|\/)gemini-2\.5-flash-lite/i,
        quirks: { googleThinking: { by: "budget", least: 512, most: 24_576, canBeOff: true } },
      },
      {
        models: /(?:^|\/)gemini-(?:[3-9]|\d\d)(?:\.\d+)?-pro(?!.*(?:image|tts|live|audio))/i,
        quirks: { googleThinking: { by: "level", levels: ["low", "medium", "high"] } },
      },
      {
        models: /(?:^|\/)gemini-3-pro(?!.*image)/i,
        quirks: { googleThinking: { by: "level", levels: ["low", "high"] } },
      },
      {
        models: /(?:^|\/)gemini-(?:[3-9]|\d\d)(?:\.\d+)?-flash(?!.*(?:image|tts|live|audio))/i,
        quirks: { googleThinking: { by: "level", levels: ["minimal", "low", "medium", "high"] } },
      },
      {
        models: /(?:^|\/)gemini-(?:(?:[3-9]|\d\d)(?!\d)|(?:pro|flash|flash-lite)-latest$)/i,
        quirks: { signedCalls: true, imagesInResults: true },
      },
    ],
  },
  {
    id: "xai",
    label: "xAI Grok",
    auth: "api_key",
    baseUrl: "https://api.x.ai/v1",
    keyEnv: ["XAI_API_KEY"],
    baseUrlEnv: "XAI_BASE_URL",
    wire: "codex_responses",
    speaksChat: true,
    quirks: { encryptedReasoning: true },
    // Its other models refuse an effort; it sends summaries unasked.
    modelQuirks: [{ models: /^grok-(?:3-mini|4\.[3-9](?!\d)|[5-9])/i, quirks: { reasoningField: "reasoning_effort" } }],
  },
  chat("deepseek", "DeepSeek", {
    smallModel: "deepseek-chat",
    baseUrl: "https://api.deepseek.com/v1",
    keyEnv: ["DEEPSEEK_API_KEY"],
    baseUrlEnv: "DEEPSEEK_BASE_URL",
    quirks: { replaysReasoning: true },
  }),
  chat("zai", "Z.AI GLM", {
    smallModel: "glm-4.5-flash",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyEnv: ["GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"],
    baseUrlEnv: "GLM_BASE_URL",
  }),
  chat("kimi-coding", "Moonshot Kimi", {
    baseUrl: "https://api.moonshot.ai/v1",
    keyEnv: ["KIMI_API_KEY", "KIMI_CODING_API_KEY"],
    baseUrlEnv: "KIMI_BASE_URL",
    quirks: { replaysReasoning: true },
    // Keys of the coding plan; that address speaks Anthropic's format.
    keyedBaseUrl: { keyPrefix: "sk-kimi-", baseUrl: "https://api.kimi.com/coding" },
  }),
  chat("kimi-coding-cn", "Moonshot Kimi (China)", {
    baseUrl: "https://api.moonshot.cn/v1",
    keyEnv: ["KIMI_CN_API_KEY"],
    quirks: { replaysReasoning: true },
  }),
  chat("alibaba", "Alibaba Model Studio", {
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyEnv: ["DASHSCOPE_API_KEY"],
    baseUrlEnv: "DASHSCOPE_BASE_URL",
  }),
  chat("alibaba-coding-plan", "Alibaba Coding Plan", {
    baseUrl: "https://coding-intl.dashscope.aliyuncs.com/v1",
    keyEnv: ["ALIBABA_CODING_PLAN_API_KEY", "DASHSCOPE_API_KEY"],
    baseUrlEnv: "ALIBABA_CODING_PLAN_BASE_URL",
  }),
  chat("nvidia", "NVIDIA", {
    baseUrl: "https://integrate.api.nvidia.com/v1",
    keyEnv: ["NVIDIA_API_KEY"],
    namesCarryMaker: true,
    baseUrlEnv: "NVIDIA_BASE_URL",
  }),
  chat("novita", "Novita", {
    baseUrl: "https://api.novita.ai/openai/v1",
    keyEnv: ["NOVITA_API_KEY"],
    namesCarryMaker: true,
  }),
  chat("stepfun", "StepFun", {
    baseUrl: "https://api.stepfun.ai/step_plan/v1",
    keyEnv: ["STEPFUN_API_KEY"],
    baseUrlEnv: "STEPFUN_BASE_URL",
  }),
  chat("arcee", "Arcee", {
    baseUrl: "https://api.arcee.ai/api/v1",
    keyEnv: ["ARCEEAI_API_KEY"],
    baseUrlEnv: "ARCEE_BASE_URL",
  }),
  chat("gmi", "GMI Cloud", {
    baseUrl: "https://api.gmi-serving.com/v1",
    keyEnv: ["GMI_API_KEY"],
    namesCarryMaker: true,
    baseUrlEnv: "GMI_BASE_URL",
  }),
  chat("xiaomi", "Xiaomi MiMo", {
    baseUrl: "https://api.xiaomimimo.com/v1",
    keyEnv: ["XIAOMI_API_KEY"],
    baseUrlEnv: "XIAOMI_BASE_URL",
  }),
  chat("tencent-tokenhub", "Tencent TokenHub", {
    baseUrl: "https://tokenhub.tencentmaas.com/v1",
    keyEnv: ["TOKENHUB_API_KEY"],
    baseUrlEnv: "TOKENHUB_BASE_URL",
  }),
  chat("kilocode", "Kilo Code", {
    baseUrl: "https://api.kilo.ai/api/gateway",
    keyEnv: ["KILOCODE_API_KEY"],
    namesCarryMaker: true,
    baseUrlEnv: "KILOCODE_BASE_URL",
  }),
  chat("ai-gateway", "Vercel AI Gateway", {
    baseUrl: "https://ai-gateway.vercel.sh/v1",
    keyEnv: ["AI_GATEWAY_API_KEY"],
    namesCarryMaker: true,
    baseUrlEnv: "AI_GATEWAY_BASE_URL",
  }),
  chat("opencode-zen", "OpenCode Zen", {
    baseUrl: "https://opencode.ai/zen/v1",
    keyEnv: ["OPENCODE_ZEN_API_KEY"],
    baseUrlEnv: "OPENCODE_ZEN_BASE_URL",
  }),
  chat("opencode-go", "OpenCode Go", {
    baseUrl: "https://opencode.ai/zen/go/v1",
    keyEnv: ["OPENCODE_GO_API_KEY"],
    baseUrlEnv: "OPENCODE_GO_BASE_URL",
  }),
  chat("ollama-cloud", "Ollama Cloud", {
    baseUrl: "https://ollama.com/v1",
    keyEnv: ["OLLAMA_API_KEY"],
    baseUrlEnv: "OLLAMA_BASE_URL",
  }),
  chat("huggingface", "Hugging Face", {
    baseUrl: "https://router.huggingface.co/v1",
    keyEnv: ["HF_TOKEN"],
    namesCarryMaker: true,
    baseUrlEnv: "HF_BASE_URL",
  }),
  chat("azure-foundry", "Azure AI Foundry", {
    keyEnv: ["AZURE_FOUNDRY_API_KEY"],
    baseUrlEnv: "AZURE_FOUNDRY_BASE_URL",
    quirks: { maxTokensField: "max_completion_tokens" },
    // The address is the resource's own, ending in /openai/v1.
  }),
  ...["minimax", "minimax-cn"].map((id): ProviderRow => ({
    id,
    label: id === "minimax" ? "MiniMax" : "MiniMax (China)",
    auth: "api_key",
    baseUrl: id === "minimax" ? "https://api.minimax.io/anthropic" : "https://api.minimaxi.com/anthropic",
    keyEnv: [id === "minimax" ? "MINIMAX_API_KEY" : "MINIMAX_CN_API_KEY"],
    baseUrlEnv: id === "minimax" ? "MINIMAX_BASE_URL" : "MINIMAX_CN_BASE_URL",
    wire: "anthropic_messages",
    quirks: { bearerKey: true },
  })),
  chat("lmstudio", "LM Studio", {
    baseUrl: "http://127.0.0.1:1234/v1",
    keyEnv: ["LM_API_KEY"],
    baseUrlEnv: "LM_BASE_URL",
    auth: "none",
  }),
  chat("ollama", "Ollama (this machine)", {
    baseUrl: "http://127.0.0.1:11434/v1",
    keyEnv: [],
    auth: "none",
  }),
  {
    id: "bedrock",
    label: "Amazon Bedrock",
    auth: "aws",
    baseUrl: "https://bedrock-runtime.us-east-1.amazonaws.com",
    hosts: /^(?:[\w-]+\.)?bedrock-runtime(?:-fips)?\.[\w-]+\.(?:vpce\.)?(?:amazonaws\.com|api\.aws)(?:\.cn)?$/,
    keyEnv: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlEnv: "BEDROCK_BASE_URL",
    wire: "bedrock_converse",
    quirks: {},
    // Names have the maker before them, and before it a group of regions; those of profiles are addresses with the name in them.
    modelQuirks: [
      {
        models: /anthropic\.claude-(?!v|instant)|amazon\.nova-/i,
        quirks: { imagesInResults: true, resultStatus: true },
      },
      {
        models: /anthropic\.claude-(?:3-5-haiku|3-7(?!\d)|[a-z]+-\d|mythos-preview)/i,
        quirks: { promptCache: "points" },
      },
      { models: /amazon\.nova-(?:micro|lite|pro|premier)-v1/i, quirks: { promptCache: "system_point" } },
      {
        models: /anthropic\.claude-(?:3-7(?!\d)|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|-20\d{6}|$))/i,
        quirks: { thinking: "budget" },
      },
      {
        models: /anthropic\.claude-(?:opus|sonnet)-4(?:-[0-5](?!\d)|-20\d{6}|$)/i,
        quirks: { thinksBetweenCalls: true },
      },
      {
        models: /anthropic\.claude-(?:(?:opus|sonnet|haiku)-4-6(?!\d)|mythos-preview)/i,
        quirks: { thinking: "effort" },
      },
      { models: /anthropic\.claude-[a-z]+-(?:4-[7-9]|[5-9])(?!\d)/i, quirks: { thinking: "effort_xhigh" } },
      { models: /openai\.gpt-oss/i, quirks: { reasoningField: "reasoning_effort" } },
    ],
  },
  { id: "custom", label: "An endpoint of your own", auth: "none", keyEnv: [], wire: "by_url", quirks: {} },
  ...loginRows(),
];

/** Providers that know their callers by a login. */
function loginRows(): readonly ProviderRow[] {
  const row = (
    id: string,
    label: string,
    more: Omit<ProviderRow, "id" | "label" | "quirks"> & Partial<Pick<ProviderRow, "quirks">>,
  ): ProviderRow => ({
    id,
    label,
    quirks: {},
    ...more,
  });
  return [
    row("nous", "Nous Portal", {
      auth: "oauth",
      baseUrl: "https://inference-api.nousresearch.com/v1",
      keyEnv: [],
      wire: "chat_completions",
    }),
    row("openai-codex", "OpenAI Codex (ChatGPT login)", {
      auth: "oauth",
      baseUrl: "https://chatgpt.com/backend-api/codex",
      keyEnv: [],
      wire: "codex_responses",
      quirks: {
        // What stands before that address lets only programs through that name themselves so.
        headers: { "openai-beta": "responses=experimental", originator: "codex_cli_rs" },
        reasoningField: "reasoning_effort",
        reasoningSummary: true,
        encryptedReasoning: true,
        narrowRequest: true,
      },
    }),
    row("xai-oauth", "xAI Grok OAuth (SuperGrok / Premium+)", {
      auth: "oauth",
      baseUrl: "https://api.x.ai/v1",
      keyEnv: [],
      wire: "codex_responses",
    }),
    row("qwen-oauth", "Qwen (login)", {
      auth: "oauth",
      baseUrl: "https://portal.qwen.ai/v1",
      keyEnv: [],
      wire: "chat_completions",
    }),
    row("google-gemini-cli", "Google Gemini CLI (login)", {
      auth: "oauth",
      baseUrl: "cloudcode-pa://google",
      keyEnv: [],
      wire: "gemini",
      quirks: { cloudCode: true, bearerKey: true },
    }),
    row("minimax-oauth", "MiniMax (login)", {
      auth: "oauth",
      baseUrl: "https://api.minimax.io/anthropic",
      keyEnv: [],
      wire: "anthropic_messages",
    }),
    row("copilot", "GitHub Copilot", {
      auth: "oauth",
      baseUrl: "https://api.githubcopilot.com",
      keyEnv: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
      baseUrlEnv: "COPILOT_API_BASE_URL",
      wire: "chat_completions",
      // A GitHub token is first exchanged for one of Copilot's own.
      quirks: { headers: { ...COPILOT_EDITOR_HEADERS, "openai-intent": "conversation-edits" } },
    }),
    row("copilot-acp", "GitHub Copilot (its own program)", {
      auth: "external_process",
      baseUrl: "acp://copilot",
      keyEnv: [],
      baseUrlEnv: "COPILOT_ACP_BASE_URL",
      wire: "chat_completions",
    }),
  ];
}
