import type { AssistantMessage, AssistantPart } from "../../message.ts";
import { sendableName } from "../../sendable-name.ts";
import { REASONING_FILLER, standInText } from "../replayed-call.ts";
import type { WireTarget } from "../wire.ts";
import type { CallIds } from "../call-ids.ts";
import { argumentsText, objectText, type JsonText } from "../json-text.ts";
import { digestOf, opaqueDataFor, type AnthropicOpaqueData } from "./opaque.ts";

/** A lone surrogate makes a body that strict readers refuse as a whole. */
const clean = (text: string): string => text.toWellFormed();

/** A text block; undefined where the API would refuse it as blank. */
export const textBlock = (text: string): JsonText | undefined =>
  text.trim() === "" ? undefined : JSON.stringify({ type: "text", text: clean(text) });

/** The blocks of an assistant message, in the order in which they came; never empty. */
export interface AssistantBlocks {
  readonly blocks: readonly JsonText[];
  readonly beginsWithThinking: boolean;
}

interface Block {
  readonly kind: "thinking" | "text" | "call" | "verbatim";
  readonly text: JsonText;
}

/** What an assistant message is encoded with. */
export interface AssistantContext {
  readonly target: WireTarget;
  readonly ids: CallIds;
}

/**
 * Encodes an assistant message (B09): thinking goes back under its signature only where it is the signed text to the letter;
 * other thinking is left out, or sent unsigned to a provider that wants the reasoning of tool turns back (B10).
 */
export const encodeAssistant = (message: AssistantMessage, context: AssistantContext): AssistantBlocks => {
  const unsigned =
    context.target.quirks.replaysReasoning === true && message.parts.some((part) => part.type === "tool_call");
  const blocks = collectBlocks(message.parts, { ...context, unsigned });
  if (unsigned && !blocks.some(({ kind }) => kind === "thinking")) blocks.unshift(thinkingBlock(REASONING_FILLER));
  // Thinking alone is no message that may be sent back.
  if (blocks.every(({ kind }) => kind === "thinking")) {
    blocks.push({ kind: "text", text: JSON.stringify({ type: "text", text: standInText(message) }) });
  }
  return {
    blocks: blocks.map(({ text }) => text),
    beginsWithThinking: blocks[0]?.kind === "thinking",
  };
};

const thinkingBlock = (thinking: string, signature?: string): Block => ({
  kind: "thinking",
  text: JSON.stringify({
    type: "thinking",
    thinking: clean(thinking),
    ...(signature === undefined ? {} : { signature }),
  }),
});

interface Collecting extends AssistantContext {
  /** Whether thinking without a signature is sent. */
  readonly unsigned: boolean;
}

const collectBlocks = (parts: readonly AssistantPart[], context: Collecting): Block[] => {
  const blocks: Block[] = [];
  let thinking = "";
  const dropThinking = (): void => {
    if (thinking.trim() !== "" && context.unsigned) blocks.push(thinkingBlock(thinking));
    thinking = "";
  };
  for (const part of parts) {
    if (part.type === "reasoning") {
      thinking += part.text;
      continue;
    }
    const data = part.type === "opaque" ? opaqueDataFor(part, context.target) : undefined;
    if (part.type === "opaque" && data === undefined) continue;
    const signed = data?.block === "thinking" ? signedBlock(thinking, data) : undefined;
    if (signed === undefined) dropThinking();
    else thinking = "";
    const block = signed ?? plainBlock(part, data, context);
    if (block !== undefined) blocks.push(block);
  }
  dropThinking();
  return blocks;
};

const signedBlock = (
  thinking: string,
  { signature, textSha256 }: Extract<AnthropicOpaqueData, { block: "thinking" }>,
): Block | undefined =>
  signature !== undefined && digestOf(thinking) === textSha256 ? thinkingBlock(thinking, signature) : undefined;

const plainBlock = (
  part: Exclude<AssistantPart, { type: "reasoning" }>,
  data: AnthropicOpaqueData | undefined,
  { ids }: Collecting,
): Block | undefined => {
  switch (part.type) {
    case "text": {
      const text = textBlock(part.text);
      return text === undefined ? undefined : { kind: "text", text };
    }
    case "tool_call":
      return { kind: "call", text: callBlock(part, ids) };
    case "opaque":
      if (data?.block !== "verbatim") return undefined;
      return {
        kind: data.value.type === "redacted_thinking" ? "thinking" : "verbatim",
        text: JSON.stringify(data.value),
      };
  }
};

const callBlock = (part: Extract<AssistantPart, { type: "tool_call" }>, ids: CallIds): JsonText =>
  objectText(
    new Map([
      ["type", '"tool_use"'],
      ["id", JSON.stringify(ids.call(part.id))],
      ["name", JSON.stringify(sendableName(part.name))],
      ["input", argumentsText(part.arguments)],
    ]),
  );
