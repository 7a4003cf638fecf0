import type { LlmRequest, ToolSchema } from "../../request.ts";
import { asRecord } from "../json-fields.ts";
import { objectText, type JsonText } from "../json-text.ts";
import { bearerHeaders } from "../request-headers.ts";
import { thinkingParameters } from "../claude-thinking.ts";
import type { WireRequest, WireTarget } from "../wire.ts";
import { encodeMessages, type Encoding, type WireMessage } from "./encode-messages.ts";

/** Tokens of an answer beside which a budget of thinking is named, where neither the request nor the catalogue bounds it. */
const DEFAULT_MAX_TOKENS = 8_192;
/** Marks one can set in a request; the system text has the first. */
const MARKED_MESSAGES = 3;
const CACHE_POINT: JsonText = '{"cachePoint":{"type":"default"}}';

/**
 * Encodes a request; members stand in a fixed order, the messages after what stays the same in a session. Cache points are blocks
 * of their own and no content: without them each request's blocks begin with the previous one's (R-PROMPT-3).
 */
export const encodeRequest = (request: LlmRequest, encoding: Encoding): WireRequest => {
  const { target } = encoding;
  const { messages, lostThinking } = encodeMessages(request, encoding);
  const members = new Map<string, JsonText>();
  const add = (more: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(more)) {
      if (value !== undefined) members.set(name, JSON.stringify(value));
    }
  };
  const { inference, additional } = parametersOf(request, target, lostThinking);
  if (Object.keys(inference).length > 0) add({ inferenceConfig: inference });
  if (Object.keys(additional).length > 0) add({ additionalModelRequestFields: additional });
  if (request.system.trim() !== "") members.set("system", systemText(request.system, target));
  if (request.tools.length > 0) add({ toolConfig: { tools: request.tools.map(encodeTool) } });
  const marked = target.quirks.promptCache === "points" ? withPoints(messages) : messages;
  members.set("messages", `[${marked.map(messageText).join(",")}]`);
  add(extraMembers(target));
  return { url: addressOf(target), headers: headersFor(target), body: objectText(members) };
};

const addressOf = ({ baseUrl, model, stream }: WireTarget): string =>
  `${baseUrl.replace(/\/+$/, "")}/model/${encodeURIComponent(model)}/${stream ? "converse-stream" : "converse"}`;

const headersFor = (target: WireTarget): Readonly<Record<string, string>> => ({
  ...bearerHeaders(target),
  ...(target.stream ? { accept: "application/vnd.amazon.eventstream, application/json" } : {}),
});

interface Parameters {
  readonly inference: Readonly<Record<string, unknown>>;
  readonly additional: Readonly<Record<string, unknown>>;
}

/** What only some models know goes beside the format's own parameters; models of Anthropic's are asked as at home. */
const parametersOf = (request: LlmRequest, { quirks, info }: WireTarget, lostThinking: boolean): Parameters => {
  const bound = request.maxOutputTokens ?? info?.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const thinking = thinkingParameters(request, { quirks, maxTokens: bound, lostThinking });
  const asksBudget = quirks.thinking === "budget" && thinking.members["thinking"] !== undefined;
  const maxTokens = request.maxOutputTokens ?? (asksBudget ? bound : undefined);
  const temperature = thinking.takesTemperature ? request.temperature : undefined;
  const betas = quirks.thinksBetweenCalls === true ? thinking.betas : [];
  return {
    inference: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    },
    additional: {
      ...thinking.members,
      ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
      ...effortOf(request, quirks),
    },
  };
};

const effortOf = ({ reasoningEffort }: LlmRequest, { reasoningField }: WireTarget["quirks"]): object =>
  reasoningField === undefined || reasoningEffort === undefined || reasoningEffort === "none"
    ? {}
    : { reasoning_effort: EFFORTS[reasoningEffort] };

/** The words that the open models of OpenAI's know. */
const EFFORTS = { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" } as const;

const systemText = (system: string, { quirks }: WireTarget): JsonText => {
  const blocks = [JSON.stringify({ text: system.toWellFormed() })];
  if (quirks.promptCache === "points" || quirks.promptCache === "system_point") blocks.push(CACHE_POINT);
  return `[${blocks.join(",")}]`;
};

/** A description may be absent but not empty. */
const encodeTool = ({ name, description, parameters }: ToolSchema): object => ({
  toolSpec: {
    name,
    ...(description.trim() === "" ? {} : { description: description.toWellFormed() }),
    inputSchema: { json: parameters },
  },
});

/** Puts a point behind the newest user messages. */
const withPoints = (messages: readonly WireMessage[]): readonly WireMessage[] => {
  const users = messages.filter(({ role }) => role === "user");
  const chosen = new Set(users.slice(-MARKED_MESSAGES));
  return messages.map((message) =>
    chosen.has(message) ? { role: message.role, blocks: [...message.blocks, CACHE_POINT] } : message,
  );
};

const messageText = ({ role, blocks }: WireMessage): JsonText => `{"role":"${role}","content":[${blocks.join(",")}]}`;

/** `extra_body`, the guardrail among it: how a guardrail treats a stream may be said for streams only. */
const extraMembers = ({ extraBody = {}, stream }: WireTarget): Readonly<Record<string, unknown>> => {
  const guardrail = asRecord(extraBody["guardrailConfig"]);
  if (stream || guardrail === undefined) return extraBody;
  const { streamProcessingMode: _, ...rest } = guardrail;
  return { ...extraBody, guardrailConfig: rest };
};
