import type { WireId } from "../message.ts";
import type { RedactText } from "./classify.ts";
import type { Wire } from "./wire.ts";

/** What a wire is made with: `redact` masks secrets in providers' texts. */
interface WireDeps {
  readonly redact: RedactText;
}

const LOADERS: Readonly<Record<WireId, (deps: WireDeps) => Promise<Wire>>> = {
  chat_completions: async (deps) =>
    (await import("./chat-completions/chat-completions.ts")).createChatCompletionsWire(deps),
  codex_responses: async (deps) => (await import("./responses/responses.ts")).createResponsesWire(deps),
  anthropic_messages: async (deps) =>
    (await import("./anthropic-messages/anthropic-messages.ts")).createAnthropicMessagesWire(deps),
  gemini: async (deps) => (await import("./gemini/gemini.ts")).createGeminiWire(deps),
  bedrock_converse: async (deps) =>
    (await import("./bedrock-converse/bedrock-converse.ts")).createBedrockConverseWire(deps),
};

/** Loads a wire; nothing of the others is read. */
export const loadWire = (id: WireId, deps: WireDeps): Promise<Wire> => LOADERS[id](deps);
