import type { LlmRequest, ToolSchema } from "../../request.ts";
import { keyValueOf } from "../../credential.ts";
import { requestHeaders } from "../request-headers.ts";
import type { WireRequest, WireTarget } from "../wire.ts";
import { encodeMessages, type Encoding, type WireMessage } from "./encode-messages.ts";
import { objectText, withMember, type JsonText } from "../json-text.ts";
import { thinkingParameters } from "../claude-thinking.ts";

/** The version of the API whose format this is. */
const API_VERSION = "2023-06-01";
/** Tokens of an answer where neither the request nor the catalogue bounds it; the API wants a bound. */
const DEFAULT_MAX_TOKENS = 8_192;
/** The same for models that think by effort: their thinking counts as answer, and all of them give this much. */
const THINKERS_MAX_TOKENS = 32_000;
/** Keys with this beginning are tokens of a login. */
const LOGIN_TOKEN = "sk-ant-oat";
/** Without it the API refuses tokens of a login. */
const LOGIN_BETA = "oauth-2025-04-20";

const CACHED = { type: "ephemeral" } as const;
/** Messages that are marked where the API does not move the mark itself: with the system text, as many as the API takes. */
const MARKED_MESSAGES = 3;

/**
 * Encodes a request; members stand in a fixed order, the messages after what stays the same in a session. What is cached ends
 * at the system text and at the newest messages. Where the API knows it (`promptCache: "automatic"`), one member of the request
 * marks the newest block and the messages hold no marks, so each request's messages begin with the previous one's bytes
 * (R-PROMPT-3). Elsewhere the last three user messages carry marks, which are no content: without them the same holds.
 */
export const encodeRequest = (request: LlmRequest, encoding: Encoding): WireRequest => {
  const { target } = encoding;
  const { messages, lostThinking } = encodeMessages(request.messages, encoding);
  const members = new Map<string, JsonText>();
  const add = (more: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined) members.set(name, JSON.stringify(value));
    }
  };
  const maxTokens = maxTokensOf(request, target);
  const thinking = thinkingParameters(request, { quirks: target.quirks, maxTokens, lostThinking });
  add({
    model: target.model,
    max_tokens: maxTokens,
    stream: target.stream,
    ...(thinking.takesTemperature ? { temperature: request.temperature } : {}),
    ...thinking.members,
  });
  if (target.quirks.promptCache === "automatic") add({ cache_control: CACHED });
  if (request.system.trim() !== "") {
    add({ system: [{ type: "text", text: request.system.toWellFormed(), cache_control: CACHED }] });
  }
  if (request.tools.length > 0) add({ tools: request.tools.map(encodeTool) });
  const marked = target.quirks.promptCache === "automatic" ? messages : withMarks(messages);
  members.set("messages", `[${marked.map(messageText).join(",")}]`);
  add(target.extraBody ?? {});
  return { url: addressOf(target.baseUrl), headers: headersFor(target, thinking.betas), body: objectText(members) };
};

/** The address is written with and without its version, and sometimes whole. */
const addressOf = (baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, "").replace(/\/v1(?:\/messages)?$/, "")}/v1/messages`;

const headersFor = (target: WireTarget, features: readonly string[]): Readonly<Record<string, string>> => {
  const apiKey = keyValueOf(target.credential);
  const login = apiKey?.startsWith(LOGIN_TOKEN) === true;
  const betas = login ? [LOGIN_BETA, ...features] : features;
  return {
    ...requestHeaders(target),
    "anthropic-version": API_VERSION,
    ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
    ...(apiKey === undefined ? {} : keyHeader(apiKey, login || target.quirks.bearerKey === true)),
  };
};

const keyHeader = (apiKey: string, bearer: boolean): Readonly<Record<string, string>> =>
  bearer ? { authorization: `Bearer ${apiKey}` } : { "x-api-key": apiKey };

const maxTokensOf = ({ maxOutputTokens }: LlmRequest, { quirks, info }: WireTarget): number => {
  const byEffort = quirks.thinking === "effort" || quirks.thinking === "effort_xhigh";
  return maxOutputTokens ?? info?.maxOutputTokens ?? (byEffort ? THINKERS_MAX_TOKENS : DEFAULT_MAX_TOKENS);
};

const encodeTool = ({ name, description, parameters }: ToolSchema): Readonly<Record<string, unknown>> => ({
  name,
  description,
  input_schema: parameters,
});

/** Marks the last block of the newest user messages. */
const withMarks = (messages: readonly WireMessage[]): readonly WireMessage[] => {
  const users = messages.filter(({ role }) => role === "user");
  const chosen = new Set(users.slice(-MARKED_MESSAGES));
  return messages.map((message) => (chosen.has(message) ? markedMessage(message) : message));
};

const markedMessage = ({ role, blocks }: WireMessage): WireMessage => ({
  role,
  blocks: blocks.map((block, at) => (at === blocks.length - 1 ? withMember(block, "cache_control", CACHED) : block)),
});

const messageText = ({ role, blocks }: WireMessage): JsonText => `{"role":"${role}","content":[${blocks.join(",")}]}`;
