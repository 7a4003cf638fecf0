import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { WireId } from "../src/llm/message.ts";

type Json = Readonly<Record<string, unknown>>;

/** The bytes of one long streamed answer, and how many pieces of text are in it. */
export interface Corpus {
  readonly wire: WireId;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly events: number;
  readonly words: number;
}

const WORDS = ["The", " quick", " brown", " fox", " 日本", " jumps", " over", ' "it"', ".\n", " and"];

const sse = (value: Json, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;

/** Events as large as recorded ones: 300 bytes of OpenAI, 260 of its Responses, 140 of Anthropic, 400 of Google, 240 of Amazon. */
const chatChunk = (content: string): string =>
  sse({
    id: "chatcmpl-DPTOxLkXloPWhAGR6qxqHOqS1xZCe",
    object: "chat.completion.chunk",
    created: 1_774_963_591,
    model: "gpt-5.1-2025-11-13",
    service_tier: "default",
    system_fingerprint: "fp_8b330d02d0",
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
    obfuscation: "bnLQDRR8VIX",
  });

const responseDelta = (delta: string, at: number): string =>
  sse(
    {
      type: "response.output_text.delta",
      content_index: 0,
      delta,
      item_id: "msg_05ed6c8b322854d8006a024b554efc8196a02e55b0a7352160",
      logprobs: [],
      obfuscation: "2Y3swIO7saSVts7",
      output_index: 0,
      sequence_number: at,
    },
    "response.output_text.delta",
  );

const anthropicDelta = (text: string): string =>
  sse({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, "content_block_delta");

const geminiChunk = (text: string): string =>
  sse({
    candidates: [{ content: { parts: [{ text: text.repeat(6) }], role: "model" }, index: 0 }],
    usageMetadata: {
      promptTokenCount: 15,
      candidatesTokenCount: 14,
      totalTokenCount: 771,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 15 }],
      thoughtsTokenCount: 742,
    },
    modelVersion: "gemini-3-pro-preview",
    responseId: "6hkqaYvGLvKqvdIP4qTU8A4",
  });

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

const converse = (name: string, fields: Json): Uint8Array => {
  const texts = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
  const headers = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, { type: "string", value }]));
  return codec.encode({ headers: headers as never, body: Buffer.from(JSON.stringify(fields)) });
};

const converseDelta = (text: string): Uint8Array =>
  converse("contentBlockDelta", {
    contentBlockIndex: 0,
    delta: { text },
    p: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
  });

const SSE = "text/event-stream";

interface Shape {
  readonly wire: WireId;
  readonly contentType: string;
  readonly head: readonly (string | Uint8Array)[];
  readonly word: (text: string, at: number) => string | Uint8Array;
  readonly tail: readonly (string | Uint8Array)[];
}

const SHAPES: readonly Shape[] = [
  { wire: "chat_completions", contentType: SSE, head: [], word: chatChunk, tail: ["data: [DONE]\n\n"] },
  {
    wire: "codex_responses",
    contentType: SSE,
    head: [
      sse({ type: "response.created", response: { id: "r", status: "in_progress", output: [] } }, "response.created"),
    ],
    word: responseDelta,
    tail: [
      sse({ type: "response.completed", response: { id: "r", status: "completed", output: [] } }, "response.completed"),
    ],
  },
  {
    wire: "anthropic_messages",
    contentType: SSE,
    head: [
      sse({ type: "message_start", message: { id: "m", role: "assistant", content: [], usage: {} } }, "message_start"),
      sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, "content_block_start"),
    ],
    word: anthropicDelta,
    tail: [
      sse({ type: "content_block_stop", index: 0 }, "content_block_stop"),
      sse({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }, "message_delta"),
      sse({ type: "message_stop" }, "message_stop"),
    ],
  },
  { wire: "gemini", contentType: SSE, head: [], word: geminiChunk, tail: [] },
  {
    wire: "bedrock_converse",
    contentType: "application/vnd.amazon.eventstream",
    head: [converse("messageStart", { role: "assistant" })],
    word: converseDelta,
    tail: [converse("messageStop", { stopReason: "end_turn" }), converse("metadata", { usage: {} })],
  },
];

/** One answer of each format, of about that size. */
export const buildCorpora = (megabytes: number): readonly Corpus[] =>
  SHAPES.map(({ wire, contentType, head, word, tail }) => {
    const block = Buffer.concat(WORDS.map((text, at) => Buffer.from(word(text, at))));
    const blocks = Math.ceil((megabytes * 1e6) / block.length);
    const edges = (pieces: readonly (string | Uint8Array)[]): Buffer =>
      Buffer.concat(pieces.map((each) => Buffer.from(each)));
    return {
      wire,
      contentType,
      bytes: Buffer.concat([edges(head), ...Array.from({ length: blocks }, () => block), edges(tail)]),
      events: blocks * WORDS.length + head.length + tail.length,
      words: blocks * WORDS.length,
    };
  });
