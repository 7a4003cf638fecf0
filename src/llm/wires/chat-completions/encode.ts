import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Message,
  TextPart,
  ToolMessage,
  UserMessage,
} from "../../message.ts";
import type { LlmRequest, ToolSchema } from "../../request.ts";
import { REASONING_FILLER, replayedArguments, standInText } from "../replayed-call.ts";
import { bearerHeaders } from "../request-headers.ts";
import type { ImageLookup, WireRequest, WireTarget } from "../wire.ts";
import { opaqueDataFor, type ChatOpaqueData } from "./opaque.ts";

interface Encoding {
  readonly target: WireTarget;
  readonly images: ImageLookup;
}

type WireMessage = Readonly<Record<string, unknown>>;

/** A lone surrogate makes a body that strict readers refuse as a whole. */
const clean = (text: string): string => text.toWellFormed();

/** Encodes a request; members stand in a fixed order, the messages after what stays the same in a session. */
export const encodeRequest = (request: LlmRequest, encoding: Encoding): WireRequest => {
  const { target } = encoding;
  return {
    url: `${target.baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: bearerHeaders(target),
    body: JSON.stringify({
      model: target.model,
      ...parameters(request, target),
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map(encodeTool) }),
      messages: encodeMessages(request, encoding),
      ...target.extraBody,
    }),
  };
};

const parameters = (request: LlmRequest, { quirks, stream }: WireTarget): WireMessage => ({
  stream,
  ...(stream && quirks.noStreamUsage !== true ? { stream_options: { include_usage: true } } : {}),
  ...(request.maxOutputTokens === undefined
    ? {}
    : { [quirks.maxTokensField ?? "max_tokens"]: request.maxOutputTokens }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...reasoning(request, quirks.reasoningField),
});

const reasoning = ({ reasoningEffort }: LlmRequest, field: WireTarget["quirks"]["reasoningField"]): WireMessage => {
  if (reasoningEffort === undefined || field === undefined) return {};
  return field === "reasoning" ? { reasoning: { effort: reasoningEffort } } : { reasoning_effort: reasoningEffort };
};

const encodeTool = ({ name, description, parameters }: ToolSchema): WireMessage => ({
  type: "function",
  function: { name, description, parameters },
});

const encodeMessages = (request: LlmRequest, encoding: Encoding): readonly WireMessage[] => {
  const encoded: WireMessage[] = [];
  if (request.system !== "") {
    encoded.push({ role: encoding.target.quirks.systemRole ?? "system", content: clean(request.system) });
  }
  // A tool message of this format holds text only: the images of a group of results follow the group.
  let shown: ToolMessage[] = [];
  for (const message of request.messages) {
    if (message.role !== "tool" && shown.length > 0) {
      encoded.push(encodeShownImages(shown, encoding));
      shown = [];
    }
    encoded.push(encodeMessage(message, encoding));
    if (message.role === "tool" && message.parts[0].content.some((part) => part.type === "image")) shown.push(message);
  }
  if (shown.length > 0) encoded.push(encodeShownImages(shown, encoding));
  return encoded;
};

const encodeMessage = (message: Message, encoding: Encoding): WireMessage => {
  if (message.role === "user") return encodeUser(message, encoding);
  return message.role === "assistant" ? encodeAssistant(message, encoding) : encodeToolResult(message);
};

const textPart = (text: string): WireMessage => ({ type: "text", text: clean(text) });

const encodePart = (part: TextPart | ImagePart, { images }: Encoding): WireMessage => {
  if (part.type === "text") return textPart(part.text);
  const base64 = images(part.hash);
  if (base64 === undefined) return textPart(`[an image (${part.mediaType}) stood here; its bytes are gone]`);
  return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${base64}` } };
};

const encodeUser = ({ parts, contextLine }: UserMessage, encoding: Encoding): WireMessage => {
  const all = contextLine === undefined ? parts : [...parts, { type: "text", text: contextLine } as const];
  const texts = all.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Plain text where there is nothing else: not every server of this format reads lists.
  if (texts.length === all.length) return { role: "user", content: clean(texts.join("\n\n")) };
  return { role: "user", content: all.map((part) => encodePart(part, encoding)) };
};

const joinedText = (parts: readonly AssistantPart[], type: "text" | "reasoning"): string =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");

const encodeAssistant = (message: AssistantMessage, { target }: Encoding): WireMessage => {
  const opaque = opaqueDataFor(message.parts, target);
  const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? [encodeCall(part, opaque)] : []));
  const text = clean(joinedText(message.parts, "text"));
  const details = opaque.find((data) => data.field === "reasoning_details");
  return {
    role: "assistant",
    content: text === "" ? missingText(message, calls.length) : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(target.quirks.replaysReasoning === true && calls.length > 0
      ? { reasoning_content: clean(joinedText(message.parts, "reasoning")) || REASONING_FILLER }
      : {}),
    ...(details === undefined ? {} : { reasoning_details: details.value }),
  };
};

const missingText = (message: AssistantMessage, calls: number): string | null =>
  calls > 0 ? null : standInText(message);

type CallPart = Extract<AssistantPart, { type: "tool_call" }>;

const encodeCall = (call: CallPart, opaque: readonly ChatOpaqueData[]): WireMessage => {
  const extra = opaque.find((data) => data.field === "extra_content" && data.callId === call.id);
  return {
    id: clean(call.id),
    type: "function",
    function: { name: clean(call.name), arguments: replayedArguments(call.arguments) },
    ...(extra === undefined ? {} : { extra_content: extra.value }),
  };
};

const encodeToolResult = ({ parts: [result] }: ToolMessage): WireMessage => {
  const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const shows = result.content.some((part) => part.type === "image");
  const standIn = shows ? "(the image follows)" : "(no output)";
  return { role: "tool", tool_call_id: clean(result.callId), content: text.trim() === "" ? standIn : clean(text) };
};

const encodeShownImages = (messages: readonly ToolMessage[], encoding: Encoding): WireMessage => ({
  role: "user",
  content: messages.flatMap(({ parts: [result] }) => [
    textPart(`Image from ${result.name} (call ${result.callId}):`),
    ...result.content.flatMap((part) => (part.type === "image" ? [encodePart(part, encoding)] : [])),
  ]),
});
