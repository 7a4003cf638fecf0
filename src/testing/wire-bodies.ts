import { anthropicMessagesBodies } from "./wire-bodies/anthropic-messages.ts";
import { bedrockConverseBodies } from "./wire-bodies/bedrock-converse.ts";
import { chatCompletionsBodies } from "./wire-bodies/chat-completions.ts";
import { geminiBodies } from "./wire-bodies/gemini.ts";
import { responsesBodies } from "./wire-bodies/responses.ts";
import type { WireBodies } from "./wire-bodies/wire-body.ts";

/** How the servers of every format write, for tests that run over all of them. */
export const WIRE_BODIES: readonly WireBodies[] = [
  chatCompletionsBodies,
  responsesBodies,
  anthropicMessagesBodies,
  geminiBodies,
  bedrockConverseBodies,
];
