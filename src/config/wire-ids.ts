/** The HTTP formats that this version speaks, as `api_mode` names them. */
export const BUILT_WIRES = ["chat_completions", "codex_responses", "anthropic_messages"] as const;

/** The formats of the existing system that are refused for now. */
export const LATER_WIRES = ["gemini", "bedrock_converse"] as const;
