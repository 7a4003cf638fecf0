import type { ImagePart, TextPart, ToolMessage, ToolResultPart, UserMessage } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { createCallIds, type CallIds } from "../call-ids.ts";
import type { JsonText } from "../json-text.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { encodeAssistant, textBlock } from "./encode-assistant.ts";

/** What messages are encoded with. */
export interface Encoding {
  readonly target: WireTarget;
  readonly images: ImageLookup;
}

/** One message of this format; the roles take turns, and a user begins. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonText[];
}

/** The messages of a request. */
export interface EncodedMessages {
  readonly messages: readonly WireMessage[];
  /** The request goes on with calls whose turn does not begin with the reasoning that led to them. */
  readonly lostThinking: boolean;
}

/** Longest id of a call that the API takes. */
const LONGEST_ID = 64;

/** Stands before a conversation that begins with an answer: the API wants a user's word first. */
const OPENING = '{"text":"(the conversation goes on)"}';

/** Names of the images that the API takes, by their media types. */
const FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
};

interface Context extends Encoding {
  readonly ids: CallIds;
  /** Calls and results may be sent as such: the API refuses them where the request offers no tools. */
  readonly tools: boolean;
}

/**
 * Encodes a conversation; each block depends on earlier messages only, so the blocks of a longer conversation begin with the
 * shorter one's (R-PROMPT-3). Neighbours of one role are one message, as the API wants it; the results of an answer stand first
 * in theirs, one for each call. Without tools, calls and their results are told in words.
 */
export const encodeMessages = ({ messages, tools }: LlmRequest, encoding: Encoding): EncodedMessages => {
  const context: Context = { ...encoding, ids: createCallIds(LONGEST_ID), tools: tools.length > 0 };
  const encoded: { role: WireMessage["role"]; blocks: JsonText[] }[] = [];
  let results: ToolMessage[] = [];
  // Whether the turn that is going on began with reasoning; undefined = no answer since the user spoke.
  let began: boolean | undefined;
  const push = (role: WireMessage["role"], blocks: readonly JsonText[]): void => {
    if (blocks.length === 0) return;
    if (encoded.length === 0 && role === "assistant") encoded.push({ role: "user", blocks: [OPENING] });
    const last = encoded.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else encoded.push({ role, blocks: [...blocks] });
  };
  const flushResults = (): void => {
    push("user", encodeResults(results, context));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flushResults();
    if (message.role === "user") {
      push("user", encodeUser(message, encoding));
      began = undefined;
    } else {
      const { blocks, beginsWithReasoning } = encodeAssistant(message, context);
      push("assistant", blocks);
      began ??= beginsWithReasoning;
    }
  }
  flushResults();
  return { messages: encoded, lostThinking: began === false };
};

const encodeUser = ({ parts, contextLine }: UserMessage, encoding: Encoding): readonly JsonText[] => {
  const all = contextLine === undefined ? parts : [...parts, { type: "text", text: contextLine } as const];
  const blocks = encodeContent(all, encoding);
  return blocks.length === 0 ? [note("(empty message)")] : blocks;
};

const note = (text: string): JsonText => JSON.stringify({ text: text.toWellFormed() });

type Content = readonly (TextPart | ImagePart)[];

const encodeContent = (content: Content, encoding: Encoding): readonly JsonText[] =>
  content.flatMap((part) => {
    const block = part.type === "text" ? textBlock(part.text) : imageBlock(part, encoding);
    return block === undefined ? [] : [block];
  });

const imageBlock = ({ hash, mediaType }: ImagePart, { images }: Encoding): JsonText => {
  const bytes = images(hash);
  if (bytes === undefined) return note(`[an image (${mediaType}) stood here; its bytes are gone]`);
  const format = FORMATS[mediaType];
  if (format === undefined) return note(`[an image (${mediaType}) stood here, of a kind that cannot be sent]`);
  return JSON.stringify({ image: { format, source: { bytes } } });
};

/** The results of an answer, then what is no result of it: the API takes exactly one for each call, and they stand first. */
const encodeResults = (messages: readonly ToolMessage[], context: Context): readonly JsonText[] => {
  const results: JsonText[] = [];
  const after: JsonText[] = [];
  for (const { parts } of messages) {
    const [result] = parts;
    const id = context.ids.result(result.callId);
    if (!context.tools) after.push(...toldResult(result, context));
    else if (id === undefined) after.push(...strayResult(result, context));
    else {
      const { block, images } = encodeResult(id, result, context);
      results.push(block);
      after.push(...images);
    }
  }
  const missing = context.ids.takeOpen();
  if (!context.tools) return after;
  const nothing = [note("(no result was recorded)")];
  return [...results, ...missing.map((id) => resultBlock(id, nothing, statusOf(true, context))), ...after];
};

interface EncodedResult {
  readonly block: JsonText;
  /** Images that the model would not find inside the result. */
  readonly images: readonly JsonText[];
}

const encodeResult = (id: string, { name, content, outcome }: ToolResultPart, context: Context): EncodedResult => {
  const inside = context.target.quirks.imagesInResults === true;
  const shown = inside ? [] : content.filter((part) => part.type === "image");
  const kept = inside ? content : content.filter((part) => part.type === "text");
  const blocks = encodeContent(kept, context);
  const text = shown.length > 0 ? note("(the image follows)") : note("(no output)");
  const whole = blocks.length === 0 ? [text] : blocks;
  return {
    block: resultBlock(id, whole, statusOf(outcome !== "ok", context)),
    images: shown.length === 0 ? [] : [note(`Image from ${name} (call ${id}):`), ...encodeContent(shown, context)],
  };
};

// Members and blocks are spliced as they stand, so that the bytes of images are written once.
const resultBlock = (id: string, content: readonly JsonText[], status: JsonText): JsonText =>
  `{"toolResult":{"toolUseId":${JSON.stringify(id)},"content":[${content.join(",")}]${status}}}`;

const statusOf = (failed: boolean, { target }: Encoding): JsonText =>
  failed && target.quirks.resultStatus === true ? ',"status":"error"' : "";

const strayResult = ({ name, callId, content }: ToolResultPart, encoding: Encoding): readonly JsonText[] => [
  note(`[a result of ${name} (call ${callId}) without its call]`),
  ...encodeContent(content, encoding),
];

const toldResult = ({ name, content, outcome }: ToolResultPart, encoding: Encoding): readonly JsonText[] => [
  note(`[result of ${name}${outcome === "ok" ? "" : `, ${outcome}`}]`),
  ...encodeContent(content, encoding),
];
