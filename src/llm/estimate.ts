import { inspect } from "node:util";
import { estimateTokenCount } from "tokenx";
import type { ImagePart, Message, Part } from "./message.ts";
import type { LlmRequest, ToolSchema } from "./request.ts";

/** Estimates how many tokens a request carries (R-TIME-1). Remembers every message object that it has seen. */
export interface TokenEstimator {
  /** Tokens of a whole request; 0 only for one that carries nothing. */
  estimateTokens(request: LlmRequest): number;
  /** Tokens of one message with what the format adds around it. */
  estimateMessage(message: Message): number;
}

/** What roles and separators cost around one message. */
const TOKENS_PER_MESSAGE = 4;
/** What a format adds around one tool's schema. */
const TOKENS_PER_TOOL = 8;
/** A picture at the detail that providers use by default; between OpenAI's 765 to 1,105 and Anthropic's 1,600. */
const TOKENS_PER_IMAGE = 1_300;

/** Counting is the slow part: after so many characters in one call, the rest of a long conversation is taken by its length. */
const COUNTED_AT_ONCE = 64 * 1024;
/** Of text and code in most languages; a little low, so that a window is thought fuller rather than emptier. */
const CHARACTERS_PER_TOKEN = 3.5;

const tokensOf = (text: string): number => estimateTokenCount(text);

/**
 * Makes an estimator. Messages and tool schemas are immutable, so each object is counted once in its life: a conversation of
 * 10,000 messages costs one addition a message on every further call.
 */
export const createTokenEstimator = (): TokenEstimator => {
  const byMessage = new WeakMap<Message, number>();
  const byTool = new WeakMap<ToolSchema, number>();

  const estimateMessage = (message: Message): number => {
    const known = byMessage.get(message);
    if (known !== undefined) return known;
    const tokens = countMessage(message);
    byMessage.set(message, tokens);
    return tokens;
  };

  const estimateTool = (tool: ToolSchema): number => {
    const known = byTool.get(tool);
    if (known !== undefined) return known;
    const tokens = countTool(tool);
    byTool.set(tool, tokens);
    return tokens;
  };

  /** Newest first. What the budget does not reach is taken to be like what was counted, until a later call counts it. */
  const estimateMessages = (messages: readonly Message[]): number => {
    let tokens = 0;
    let characters = 0;
    let uncounted = 0;
    for (const message of messages.toReversed()) {
      if (!byMessage.has(message) && characters >= COUNTED_AT_ONCE) {
        uncounted += charactersOf(message);
        continue;
      }
      if (!byMessage.has(message)) characters += charactersOf(message);
      tokens += estimateMessage(message);
    }
    return tokens + Math.ceil(uncounted / CHARACTERS_PER_TOKEN);
  };

  return {
    estimateMessage,
    estimateTokens: ({ system, messages, tools }) => {
      let total = system === "" ? 0 : tokensOf(system) + TOKENS_PER_MESSAGE;
      for (const tool of tools) total += estimateTool(tool);
      return total + estimateMessages(messages);
    },
  };
};

/** Estimates one request without remembering anything. */
export const estimateTokens = (request: LlmRequest): number => createTokenEstimator().estimateTokens(request);

const countTool = ({ name, description, parameters }: ToolSchema): number =>
  TOKENS_PER_TOOL + tokensOf(name) + tokensOf(description) + tokensOf(JSON.stringify(parameters));

const countMessage = (message: Message): number => {
  let total = TOKENS_PER_MESSAGE;
  for (const part of message.parts) total += countPart(part);
  if (message.role === "user" && message.contextLine !== undefined) total += tokensOf(message.contextLine);
  return total;
};

/** Roughly how much there is to count. */
const charactersOf = (message: Message): number => message.parts.reduce((sum, part) => sum + charactersOfPart(part), 0);

const charactersOfPart = (part: Part): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "tool_call":
      return part.name.length + part.arguments.length;
    case "tool_result":
      return part.content.reduce((sum, inner) => sum + charactersOfPart(inner), 0);
    case "image":
    case "opaque":
      return TOKENS_PER_IMAGE * CHARACTERS_PER_TOKEN;
  }
};

const countPart = (part: Part): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return tokensOf(part.text);
    case "tool_call":
      return tokensOf(part.name) + tokensOf(part.arguments) + TOKENS_PER_TOOL;
    case "tool_result":
      return part.content.reduce((sum, inner) => sum + countShown(inner), 0);
    case "image":
      return TOKENS_PER_IMAGE;
    case "opaque":
    default:
      return estimateUnknown(part.type === "opaque" ? part.data : part);
  }
};

const countShown = (part: { readonly type: "text"; readonly text: string } | ImagePart): number =>
  part.type === "text" ? tokensOf(part.text) : TOKENS_PER_IMAGE;

/** The members of a request body that become context, whatever the wire: the rest are parameters. */
const CONTEXT_MEMBERS = [
  "messages",
  "input",
  "instructions",
  "system",
  "contents",
  "systemInstruction",
  "system_instruction",
  "tools",
] as const;

/**
 * Estimates the tokens of an encoded payload of any shape: chat completions, Responses, Anthropic, Gemini, a bare list of
 * messages; of any other object its serialised size. 0 only for nothing: undefined, null, "", [], {}.
 */
export const estimateUnknown = (payload: unknown): number => {
  if (payload === undefined || payload === null || payload === "") return 0;
  if (typeof payload === "string") return atLeastOne(tokensOf(payload));
  if (typeof payload !== "object") return 1;
  if (Object.keys(payload).length === 0) return 0;
  const { text, images } = serialise(contextOf(payload));
  return atLeastOne(tokensOf(text) + images * TOKENS_PER_IMAGE);
};

const atLeastOne = (tokens: number): number => Math.max(1, tokens);

const contextOf = (payload: object): unknown => {
  if (Array.isArray(payload)) return payload;
  const fields = new Map(Object.entries(payload));
  const context = CONTEXT_MEMBERS.filter((member) => fields.has(member)).map((member) => fields.get(member));
  return context.length === 0 ? payload : context;
};

/** Base64 of a picture in a payload: a data URL, or a long run without a blank. */
const ENCODED_BYTES = /^(?:data:[^,]{0,100};base64,|[A-Za-z0-9+/_=-]{4000,}$)/;

const serialise = (value: unknown): { readonly text: string; readonly images: number } => {
  let images = 0;
  const replace = (_key: string, member: unknown): unknown => {
    if (typeof member === "bigint") return member.toString();
    if (typeof member !== "string" || !ENCODED_BYTES.test(member)) return member;
    images += 1;
    return "";
  };
  try {
    return { text: JSON.stringify(value, replace) ?? "", images };
  } catch {
    // A payload that refers to itself has no JSON; its printed form is of the same order.
    return { text: inspect(value, { depth: 8, maxArrayLength: null, maxStringLength: null }), images };
  }
};
