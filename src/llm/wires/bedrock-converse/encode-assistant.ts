import type { AssistantMessage, AssistantPart } from "../../message.ts";
import { sendableName } from "../../sendable-name.ts";
import type { CallIds } from "../call-ids.ts";
import { argumentsText, type JsonText } from "../json-text.ts";
import { standInText } from "../replayed-call.ts";
import type { WireTarget } from "../wire.ts";
import { digestOf, opaqueDataFor, type ConverseOpaqueData } from "./opaque.ts";

/** A text block; undefined where the API would refuse it as blank. */
export const textBlock = (text: string): JsonText | undefined =>
  text.trim() === "" ? undefined : JSON.stringify({ text: text.toWellFormed() });

/** The blocks of an assistant message, in the order in which they came; never empty. */
export interface AssistantBlocks {
  readonly blocks: readonly JsonText[];
  readonly beginsWithReasoning: boolean;
}

/** What an assistant message is encoded with. `tools` = calls may be sent as such. */
export interface AssistantContext {
  readonly target: WireTarget;
  readonly ids: CallIds;
  readonly tools: boolean;
}

interface Block {
  readonly kind: "reasoning" | "other";
  readonly text: JsonText;
}

/**
 * Encodes an assistant message (B09): reasoning goes back under its signature, only where it is the signed text to the letter
 * and to the model that signed it; other reasoning is left out, since the API takes none without a signature.
 */
export const encodeAssistant = (message: AssistantMessage, context: AssistantContext): AssistantBlocks => {
  const blocks = collectBlocks(message.parts, context);
  // Reasoning alone is no message that may be sent back.
  if (blocks.every(({ kind }) => kind === "reasoning")) {
    blocks.push({ kind: "other", text: JSON.stringify({ text: standInText(message) }) });
  }
  return {
    blocks: blocks.map(({ text }) => text),
    beginsWithReasoning: blocks[0]?.kind === "reasoning",
  };
};

const collectBlocks = (parts: readonly AssistantPart[], context: AssistantContext): Block[] => {
  const blocks: Block[] = [];
  let reasoning = "";
  for (const part of parts) {
    if (part.type === "reasoning") {
      reasoning += part.text;
      continue;
    }
    const data = part.type === "opaque" ? opaqueDataFor(part, context.target) : undefined;
    if (part.type === "opaque" && data === undefined) continue;
    const block = data?.block === "reasoning" ? signedBlock(reasoning, data) : plainBlock(part, data, context);
    reasoning = "";
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
};

const signedBlock = (
  text: string,
  { signature, textSha256 }: Extract<ConverseOpaqueData, { block: "reasoning" }>,
): Block | undefined =>
  digestOf(text) === textSha256
    ? { kind: "reasoning", text: JSON.stringify({ reasoningContent: { reasoningText: { text, signature } } }) }
    : undefined;

const plainBlock = (
  part: Exclude<AssistantPart, { type: "reasoning" }>,
  data: ConverseOpaqueData | undefined,
  context: AssistantContext,
): Block | undefined => {
  switch (part.type) {
    case "text": {
      const text = textBlock(part.text);
      return text === undefined ? undefined : { kind: "other", text };
    }
    case "tool_call":
      return { kind: "other", text: callBlock(part, context) };
    case "opaque":
      return data?.block === "verbatim" ? verbatimBlock(data.value, context) : undefined;
  }
};

/** What the provider's own tools did is refused like any call where the request offers no tools. */
const verbatimBlock = (value: Readonly<Record<string, unknown>>, { tools }: AssistantContext): Block | undefined => {
  if ("reasoningContent" in value) return { kind: "reasoning", text: JSON.stringify(value) };
  return tools ? { kind: "other", text: JSON.stringify(value) } : undefined;
};

const callBlock = (
  { id, name, arguments: args }: Extract<AssistantPart, { type: "tool_call" }>,
  { ids, tools }: AssistantContext,
): JsonText => {
  const sent = ids.call(id);
  if (!tools) return JSON.stringify({ text: `[called ${sendableName(name)} with ${args.toWellFormed()}]` });
  const fields = `"toolUseId":${JSON.stringify(sent)},"name":${JSON.stringify(sendableName(name))}`;
  return `{"toolUse":{${fields},"input":${argumentsText(args)}}}`;
};
