import { redactJson } from "../base/redact/redact-json.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import { sendableName } from "./sendable-name.ts";
import type { AssistantPart, Message, TextPart, ToolResultPart, UserPart } from "./message.ts";

/** Masks messages field by field. The only maker of `Redacted<Message>`. */
export interface MessageRedactor {
  /**
   * The message as it may be stored: text, reasoning, refusal, context line, tool names and tool arguments masked. Ids,
   * images, the origin and opaque parts are the same objects as before.
   */
  message(message: Message): Redacted<Message>;
  /** A tool's result before anybody reads it: the model, the store and the surfaces get the same. */
  toolResult(part: ToolResultPart): ToolResultPart;
  /** The parts of a user's message. */
  userParts(parts: readonly UserPart[]): readonly UserPart[];
  /** A tool call's arguments: valid JSON stays valid JSON; other text is masked as text. */
  toolArguments(text: string): string;
}

/** `items` itself where no item changed. */
const mapChanged = <T>(items: readonly T[], change: (item: T) => T): readonly T[] => {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
};

/** Makes a message redactor. With a disabled redactor every message is returned as it is. */
export const createMessageRedactor = (redactor: Redactor): MessageRedactor => {
  const textPart = <P extends { readonly text: string }>(part: P): P => {
    const text = redactor.text(part.text);
    return text === part.text ? part : { ...part, text };
  };
  const textOrImage = (part: UserPart): UserPart => (part.type === "text" ? textPart<TextPart>(part) : part);
  const userParts = (parts: readonly UserPart[]): readonly UserPart[] => mapChanged(parts, textOrImage);
  const toolArguments = (text: string): string => redactJson(text, redactor);

  /** A model may take a secret for the name of a tool. A mask is no name, so it stands there in letters. */
  const toolName = (name: string): string => {
    const masked = redactor.text(name);
    return masked === name ? name : sendableName(masked);
  };

  const toolResult = (part: ToolResultPart): ToolResultPart => {
    const content = userParts(part.content);
    const name = toolName(part.name);
    return content === part.content && name === part.name ? part : { ...part, name, content };
  };

  const assistantPart = (part: AssistantPart): AssistantPart => {
    switch (part.type) {
      case "text":
      case "reasoning":
        return textPart(part);
      case "tool_call": {
        const masked = toolArguments(part.arguments);
        const name = toolName(part.name);
        return masked === part.arguments && name === part.name ? part : { ...part, name, arguments: masked };
      }
      case "opaque":
        return part;
    }
  };

  const maskedMessage = (message: Message): Message => {
    switch (message.role) {
      case "user":
        return {
          ...message,
          parts: userParts(message.parts),
          ...(message.contextLine === undefined ? {} : { contextLine: redactor.text(message.contextLine) }),
        };
      case "assistant":
        return {
          ...message,
          parts: mapChanged(message.parts, assistantPart),
          ...(message.refusal === undefined ? {} : { refusal: redactor.text(message.refusal) }),
        };
      case "tool":
        return { ...message, parts: [toolResult(message.parts[0])] };
    }
  };

  // The brand says that this module made the value; nothing else may assert it.
  const message = (message: Message): Redacted<Message> =>
    (redactor.enabled ? maskedMessage(message) : message) as Redacted<Message>;
  return { message, toolResult, userParts, toolArguments };
};
