import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  ToolMessage,
  ToolResultPart,
  UserPart,
} from "../../llm/message.ts";

/** Stands in place of an old result (compat §4.6). */
export const CLEARED_RESULT = "[Old tool output cleared to save context space]";
const CLEARED_IMAGE: TextPart = { type: "text", text: "[An image stood here; it was taken out to save context space]" };

/** Results up to this many characters stay: clearing them would free nothing. */
const KEPT_RESULT = 200;

const isImage = (part: TextPart | ImagePart): part is ImagePart => part.type === "image";

/**
 * A message as it stands outside the tail: long results cleared, images replaced by a word. `finished` = its turn is over, and
 * the reasoning of finished turns is wanted back by no format (B09, B10: the encoders know what to send where it is missing).
 * The same object where there is nothing to clear.
 */
export const pruneMessage = (message: Message, { finished }: { readonly finished: boolean }): Message => {
  switch (message.role) {
    case "user":
      return message.parts.some(isImage) ? { ...message, parts: message.parts.map(withoutImage) } : message;
    case "assistant":
      return finished ? withoutReasoning(message) : message;
    case "tool":
      return prunedTool(message);
  }
};

const withoutImage = (part: UserPart): UserPart => (isImage(part) ? CLEARED_IMAGE : part);

const withoutReasoning = (message: AssistantMessage): AssistantMessage => {
  const parts = message.parts.filter((part) => part.type !== "reasoning" && part.type !== "opaque");
  return parts.length === message.parts.length ? message : { ...message, parts };
};

const prunedTool = (message: ToolMessage): ToolMessage => {
  const [result] = message.parts;
  const pruned = pruneResult(result);
  return pruned === result ? message : { ...message, parts: [pruned] };
};

const pruneResult = (result: ToolResultPart): ToolResultPart => {
  const length = result.content.reduce((total, part) => total + (isImage(part) ? 0 : part.text.length), 0);
  if (length > KEPT_RESULT) return { ...result, content: [{ type: "text", text: CLEARED_RESULT }] };
  return result.content.some(isImage) ? { ...result, content: result.content.map(withoutImage) } : result;
};
