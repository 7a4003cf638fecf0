import type { AssistantMessage, AssistantPart, ImagePart, Message, ToolMessage, UserMessage } from "../../message.ts";
import type { LlmRequest, ToolSchema } from "../../request.ts";
import { sendableName } from "../../sendable-name.ts";
import { REASONING_FILLER, replayedArguments, standInText } from "../replayed-call.ts";
import { bearerHeaders } from "../request-headers.ts";
import type { ImageLookup, WireRequest, WireTarget } from "../wire.ts";
import { createCallIds, type CallIds } from "./call-ids.ts";
import { opaqueDataFor } from "./opaque.ts";

interface Encoding {
  readonly target: WireTarget;
  readonly images: ImageLookup;
}

interface InputEncoding extends Encoding {
  readonly callIds: CallIds;
}

type Item = Readonly<Record<string, unknown>>;

/** The API refuses a smaller bound. */
const LEAST_OUTPUT_TOKENS = 16;

/** A lone surrogate makes a body that strict readers refuse as a whole. */
const clean = (text: string): string => text.toWellFormed();

/**
 * Encodes a request; members stand in a fixed order, the input after what stays the same in a session. Nothing is kept by the
 * provider (`store: false`), so every request carries the whole conversation. Of the quirks, those of other formats (the names
 * of fields, the system's role, usage in streams) have no counterpart here. No `prompt_cache_key` is sent: a request does not
 * know its session.
 */
export const encodeRequest = (request: LlmRequest, encoding: Encoding): WireRequest => {
  const { target } = encoding;
  return {
    url: `${target.baseUrl.replace(/\/+$/, "")}/responses`,
    headers: bearerHeaders(target),
    body: JSON.stringify({
      model: target.model,
      ...parameters(request, target),
      ...instructions(request, target),
      ...(request.tools.length === 0 ? {} : { parallel_tool_calls: true, tools: request.tools.map(encodeTool) }),
      input: encodeInput(request.messages, { ...encoding, callIds: createCallIds() }),
      ...target.extraBody,
    }),
  };
};

/** What stands for a system text where there is none and the service insists on one. */
const NO_INSTRUCTIONS = "Do what the user asks.";

const instructions = ({ system }: LlmRequest, { quirks }: WireTarget): Item => {
  if (system !== "") return { instructions: clean(system) };
  return quirks.narrowRequest === true ? { instructions: NO_INSTRUCTIONS } : {};
};

const parameters = (request: LlmRequest, { quirks, stream }: WireTarget): Item => ({
  stream,
  store: false,
  ...(quirks.narrowRequest === true ? {} : bounds(request)),
  ...reasoning(request, quirks),
});

const bounds = ({ maxOutputTokens, temperature }: LlmRequest): Item => ({
  ...(maxOutputTokens === undefined ? {} : { max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, maxOutputTokens) }),
  ...(temperature === undefined ? {} : { temperature }),
});

const reasoning = ({ reasoningEffort }: LlmRequest, quirks: WireTarget["quirks"]): Item => {
  const asked = {
    ...(reasoningEffort === undefined || quirks.reasoningField === undefined ? {} : { effort: reasoningEffort }),
    ...(quirks.reasoningSummary === true ? { summary: "auto" } : {}),
  };
  return {
    ...(Object.keys(asked).length === 0 ? {} : { reasoning: asked }),
    ...(quirks.encryptedReasoning === true ? { include: ["reasoning.encrypted_content"] } : {}),
  };
};

const encodeTool = ({ name, description, parameters: schema }: ToolSchema): Item => ({
  type: "function",
  name,
  description,
  parameters: schema,
  strict: false,
});

const encodeInput = (messages: readonly Message[], encoding: InputEncoding): readonly Item[] => {
  const items: Item[] = [];
  // Not every server of this format reads images in a result: those of a group of results follow the group.
  let shown: ToolMessage[] = [];
  const show = (): void => {
    if (shown.length > 0) items.push(encodeShownImages(shown, encoding));
    shown = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      items.push(encodeToolResult(message, encoding));
      if (message.parts[0].content.some((part) => part.type === "image")) shown.push(message);
      continue;
    }
    show();
    if (message.role === "user") items.push(encodeUser(message, encoding));
    else items.push(...encodeAssistant(message, encoding));
  }
  show();
  return items;
};

const inputText = (text: string): Item => ({ type: "input_text", text: clean(text) });

const encodeImage = ({ hash, mediaType }: ImagePart, { images }: Encoding): Item => {
  const base64 = images(hash);
  if (base64 === undefined) return inputText(`[an image (${mediaType}) stood here; its bytes are gone]`);
  return { type: "input_image", detail: "auto", image_url: `data:${mediaType};base64,${base64}` };
};

const userMessage = (content: readonly Item[]): Item => ({ type: "message", role: "user", content });

const encodeUser = ({ parts, contextLine }: UserMessage, encoding: Encoding): Item =>
  userMessage([
    ...parts.map((part) => (part.type === "text" ? inputText(part.text) : encodeImage(part, encoding))),
    ...(contextLine === undefined ? [] : [inputText(contextLine)]),
  ]);

/** The plain form of an assistant's message: the one with parts wants the id that the provider gave it. */
const assistantMessage = (text: string, phase: string | undefined): Item => ({
  type: "message",
  role: "assistant",
  content: clean(text),
  ...(phase === undefined ? {} : { phase }),
});

type CallPart = Extract<AssistantPart, { type: "tool_call" }>;

const encodeAssistant = (message: AssistantMessage, { target, callIds }: InputEncoding): readonly Item[] => {
  const items: Item[] = [];
  let phase: string | undefined;
  // Reasoning must be followed by what it led to; the API refuses a conversation with reasoning that stands alone.
  let leading: Item[] = readableReasoning(message, target);
  const push = (item: Item): void => {
    items.push(...leading, item);
    leading = [];
  };
  for (const part of message.parts) {
    const opaque = opaqueDataFor(part, target);
    if (opaque?.item === "reasoning") {
      leading.push({ type: "reasoning", summary: [], encrypted_content: opaque.encrypted });
    } else if (opaque?.item === "message") phase = opaque.phase;
    else if (part.type === "text" && part.text !== "") {
      push(assistantMessage(part.text, phase));
      phase = undefined;
    } else if (part.type === "tool_call") push(encodeCall(part, callIds));
  }
  return items.length === 0 ? [assistantMessage(standInText(message), undefined)] : items;
};

/** The readable reasoning of a turn with calls, for a provider that refuses such a turn without it (B10). */
const readableReasoning = ({ parts }: AssistantMessage, { quirks }: WireTarget): Item[] => {
  if (quirks.replaysReasoning !== true || !parts.some((part) => part.type === "tool_call")) return [];
  const text = clean(parts.map((part) => (part.type === "reasoning" ? part.text : "")).join(""));
  return [{ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: text || REASONING_FILLER }] }];
};

const encodeCall = (call: CallPart, callIds: CallIds): Item => ({
  type: "function_call",
  call_id: callIds.ofCall(call.id),
  name: sendableName(call.name),
  arguments: replayedArguments(call.arguments),
});

const encodeToolResult = ({ parts: [result] }: ToolMessage, { callIds }: InputEncoding): Item => {
  const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const shows = result.content.some((part) => part.type === "image");
  const standIn = shows ? "(the image follows)" : "(no output)";
  return {
    type: "function_call_output",
    call_id: callIds.ofResult(result.callId),
    output: text.trim() === "" ? standIn : clean(text),
  };
};

const encodeShownImages = (messages: readonly ToolMessage[], encoding: InputEncoding): Item =>
  userMessage(
    messages.flatMap(({ parts: [result] }) => [
      inputText(`Image from ${result.name} (call ${encoding.callIds.ofResult(result.callId)}):`),
      ...result.content.flatMap((part) => (part.type === "image" ? [encodeImage(part, encoding)] : [])),
    ]),
  );
