/** The HTTP formats that this version speaks, as `api_mode` names them. */
export const WIRE_IDS = [
  "chat_completions",
  "codex_responses",
  "anthropic_messages",
  "gemini",
  "bedrock_converse",
] as const;
