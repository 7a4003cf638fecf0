import * as z from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { AssistantMessage, AssistantPart, Message, TextPart, ToolMessage, UserPart } from "../../llm/message.ts";

/** A row of the other system's `messages`; a column that a version lacks reads as null. */
export const messageRow = z.object({
  id: z.number(),
  role: z.string(),
  content: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  tool_calls: z.string().nullable(),
  tool_name: z.string().nullable(),
  timestamp: z.number().nullable(),
  finish_reason: z.string().nullable(),
  reasoning: z.string().nullable(),
  reasoning_content: z.string().nullable(),
  platform_message_id: z.string().nullable(),
});
export type MessageRow = z.infer<typeof messageRow>;

/** What the messages of a session stand in. */
export interface ConversionContext {
  readonly source: string;
  readonly provider: string;
  readonly model: string;
  /** Keeps image bytes; gives their hash. */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
}

/** A message, or why the row is none. */
export type ConvertedMessage =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "left_out"; readonly why: string };

/** One row as a message here. What only a provider could read of its reasoning (signatures, encrypted items) is left behind. */
export const convertMessage = async (row: MessageRow, context: ConversionContext): Promise<ConvertedMessage> => {
  switch (row.role) {
    case "user":
      return converted(await convertUser(row, context));
    case "assistant":
      return converted(await convertAssistant(row, context));
    case "tool":
      return converted(await convertTool(row, context));
    case "system":
      return { kind: "left_out", why: "a system prompt is no message here" };
    default:
      return { kind: "left_out", why: `the role "${row.role}" is unknown` };
  }
};

const converted = (message: Message | undefined): ConvertedMessage =>
  message === undefined ? { kind: "left_out", why: "there is nothing in it" } : { kind: "message", message };

const convertUser = async (row: MessageRow, context: ConversionContext): Promise<Message | undefined> => {
  const parts = await readContent(row.content, context);
  if (parts.length === 0) return undefined;
  const place = row.platform_message_id === null ? {} : { platformMessageId: row.platform_message_id };
  return { role: "user", parts, origin: { surface: context.source, ...place } };
};

const convertAssistant = async (row: MessageRow, context: ConversionContext): Promise<AssistantMessage | undefined> => {
  const content = await readContent(row.content, context);
  const reasoning = row.reasoning ?? row.reasoning_content ?? "";
  const calls = readCalls(row);
  const parts: readonly AssistantPart[] = [
    ...(reasoning.trim() === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
    ...content.filter((part) => part.type === "text"),
    ...calls,
  ];
  if (content.length === 0 && calls.length === 0) return undefined;
  const { provider, model } = context;
  return { role: "assistant", parts, provider, model, finish: finishOf(row.finish_reason, calls.length > 0) };
};

const finishOf = (reason: string | null, hasCalls: boolean): AssistantMessage["finish"] => {
  if (hasCalls) return "tool_calls";
  if (reason === "length" || reason === "max_tokens") return "length";
  return reason === "content_filter" || reason === "refusal" ? "refusal" : "stop";
};

const toolCalls = z.array(
  z.object({
    id: z.string().nullish(),
    call_id: z.string().nullish(),
    function: z.object({
      name: z.string(),
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    }),
  }),
);

const readCalls = (row: MessageRow): Extract<AssistantPart, { type: "tool_call" }>[] => {
  const parsed = toolCalls.safeParse(parseJson(row.tool_calls ?? "null"));
  if (!parsed.success) return [];
  return parsed.data.map(({ id, call_id: callId, function: called }, at) => ({
    type: "tool_call",
    id: nonEmpty(id) ?? nonEmpty(callId) ?? `call_${row.id}_${at}`,
    name: called.name,
    arguments: typeof called.arguments === "string" ? called.arguments : JSON.stringify(called.arguments ?? {}),
  }));
};

const nonEmpty = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined || text === "" ? undefined : text;

const convertTool = async (row: MessageRow, context: ConversionContext): Promise<ToolMessage> => {
  const content = await readContent(row.content, context);
  return {
    role: "tool",
    parts: [
      {
        type: "tool_result",
        callId: row.tool_call_id ?? "",
        name: row.tool_name ?? "",
        outcome: isFailure(row.content) ? "error" : "ok",
        content: content.length === 0 ? [{ type: "text", text: "" }] : content,
      },
    ],
  };
};

const failure = z.union([
  z.object({ error: z.union([z.string().min(1), z.looseObject({})]) }),
  z.object({ success: z.literal(false) }),
]);

/** The other system writes failures as JSON with an error in it. */
const isFailure = (content: string | null): boolean =>
  content?.trimStart().startsWith("{") === true && failure.safeParse(parseJson(content)).success;

/** Content that is a list of parts is kept as JSON, behind this mark or without it. */
const LIST_MARK = "\0json:";

const contentPart = z.union([
  z.object({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.union([z.string(), z.object({ url: z.string() })]) }),
  z.object({ type: z.literal("input_image"), image_url: z.string() }),
]);

const readContent = async (content: string | null, context: ConversionContext): Promise<readonly UserPart[]> => {
  if (content === null || content === "") return [];
  const written = content.startsWith(LIST_MARK) ? content.slice(LIST_MARK.length) : content;
  const parsed = written.startsWith("[{") ? z.array(contentPart).safeParse(parseJson(written)) : undefined;
  // A person may have written a list as text: it is one only if every item is a part.
  if (parsed?.success !== true) return [textPart(written)];
  const parts: UserPart[] = [];
  for (const part of parsed.data) {
    if ("text" in part) parts.push(textPart(part.text));
    else parts.push(await imagePart(typeof part.image_url === "string" ? part.image_url : part.image_url.url, context));
  }
  return parts.filter((part) => part.type !== "text" || part.text !== "");
};

const textPart = (text: string): TextPart => ({ type: "text", text });

const DATA_URL = /^data:(image\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i;

const imagePart = async (url: string, { putBlob }: ConversionContext): Promise<UserPart> => {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined || data === undefined)
    return textPart(`[image ${url.startsWith("data:") ? "" : url}]`.replace(" ]", "]"));
  const bytes = Buffer.from(data, "base64");
  return {
    type: "image",
    hash: await putBlob(bytes),
    mediaType: mediaType.toLowerCase(),
    byteLength: bytes.byteLength,
  };
};
