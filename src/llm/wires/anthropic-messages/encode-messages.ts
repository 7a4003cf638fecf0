import type { ImagePart, Message, TextPart, ToolMessage, ToolResultPart, UserMessage } from "../../message.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { createCallIds, type CallIds } from "../call-ids.ts";
import { encodeAssistant, textBlock } from "./encode-assistant.ts";
import type { JsonText } from "../json-text.ts";

/** What messages are encoded with. */
export interface Encoding {
  readonly target: WireTarget;
  readonly images: ImageLookup;
}

/** One message of this format. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonText[];
}

/** The messages of a request. */
export interface EncodedMessages {
  readonly messages: readonly WireMessage[];
  /** The request goes on with calls whose turn does not begin with the thinking that led to them. */
  readonly lostThinking: boolean;
}

/** Stands before a conversation that begins with an answer: the API wants a user's word first. */
const OPENING = '{"type":"text","text":"(the conversation goes on)"}';

/** Media types that the API takes. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/**
 * Encodes a conversation; each message depends on earlier ones only, so a longer conversation begins with the shorter one's
 * bytes (R-PROMPT-3). All results of one answer stand in one user message, one for each call; neighbours of one role are
 * otherwise left apart, which this API joins itself.
 */
export const encodeMessages = (messages: readonly Message[], encoding: Encoding): EncodedMessages => {
  const ids = createCallIds();
  const encoded: WireMessage[] = [];
  let results: ToolMessage[] = [];
  // Whether the turn that is going on began with thinking; undefined = no answer since the user spoke.
  let began: boolean | undefined;
  const flushResults = (): void => {
    const blocks = encodeResults(results, { ...encoding, ids });
    if (blocks.length > 0) encoded.push({ role: "user", blocks });
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message);
      continue;
    }
    flushResults();
    if (message.role === "user") {
      encoded.push({ role: "user", blocks: encodeUser(message, encoding) });
      began = undefined;
    } else {
      const { blocks, beginsWithThinking } = encodeAssistant(message, { target: encoding.target, ids });
      encoded.push({ role: "assistant", blocks });
      began ??= beginsWithThinking;
    }
  }
  flushResults();
  if (encoded[0]?.role === "assistant") encoded.unshift({ role: "user", blocks: [OPENING] });
  return { messages: encoded, lostThinking: began === false };
};

const encodeUser = ({ parts, contextLine }: UserMessage, encoding: Encoding): readonly JsonText[] => {
  const all = contextLine === undefined ? parts : [...parts, { type: "text", text: contextLine } as const];
  const blocks = encodeContent(all, encoding);
  return blocks.length === 0 ? [note("(empty message)")] : blocks;
};

const note = (text: string): JsonText => JSON.stringify({ type: "text", text: text.toWellFormed() });

const encodeContent = (content: readonly (TextPart | ImagePart)[], encoding: Encoding): readonly JsonText[] =>
  content.flatMap((part) => {
    const block = part.type === "text" ? textBlock(part.text) : imageBlock(part, encoding);
    return block === undefined ? [] : [block];
  });

const imageBlock = ({ hash, mediaType }: ImagePart, { images }: Encoding): JsonText => {
  const data = images(hash);
  if (data === undefined) return note(`[an image (${mediaType}) stood here; its bytes are gone]`);
  if (!IMAGE_TYPES.has(mediaType)) return note(`[an image (${mediaType}) stood here, of a kind that cannot be sent]`);
  return JSON.stringify({ type: "image", source: { type: "base64", media_type: mediaType, data } });
};

interface ResultContext extends Encoding {
  readonly ids: CallIds;
}

/** The results of an answer, then what is no result of it: the API takes exactly one for each call, and they stand first. */
const encodeResults = (messages: readonly ToolMessage[], context: ResultContext): readonly JsonText[] => {
  const results: JsonText[] = [];
  const strays: JsonText[] = [];
  for (const { parts } of messages) {
    const [result] = parts;
    const id = context.ids.result(result.callId);
    if (id === undefined) strays.push(...encodeStray(result, context));
    else results.push(encodeResult(id, result, context));
  }
  const missing = context.ids
    .takeOpen()
    .map((id) =>
      JSON.stringify({ type: "tool_result", tool_use_id: id, content: "(no result was recorded)", is_error: true }),
    );
  return [...results, ...missing, ...strays];
};

const encodeResult = (id: string, { content, outcome }: ToolResultPart, encoding: Encoding): JsonText => {
  const shows = content.some((part) => part.type === "image");
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = texts.join("\n");
  const whole = { type: "tool_result", tool_use_id: id };
  // An error may hold text only; what the image shows counts for more than the mark.
  if (shows) {
    const blocks = encodeContent(content, encoding).join(",");
    return `${JSON.stringify(whole).slice(0, -1)},"content":[${blocks}]}`;
  }
  return JSON.stringify({
    ...whole,
    content: text.trim() === "" ? "(no output)" : text.toWellFormed(),
    ...(outcome === "ok" ? {} : { is_error: true }),
  });
};

const encodeStray = ({ name, callId, content }: ToolResultPart, encoding: Encoding): readonly JsonText[] => [
  note(`[a result of ${name} (call ${callId}) without its call]`),
  ...encodeContent(content, encoding),
];
