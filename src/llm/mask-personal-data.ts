import { redactPii } from "../base/redact/pii.ts";
import type { Message, TextPart, ImagePart } from "./message.ts";

/**
 * A message with phone numbers, e-mail addresses and mentions masked in what people and tools said (R-REDACT-3). For what goes to the
 * model; the store keeps the original. What the model itself wrote stays: it never saw the originals.
 */
export const maskPersonalData = (message: Message): Message => {
  switch (message.role) {
    case "user":
      return { ...message, parts: message.parts.map(maskPart) };
    case "tool": {
      const [part] = message.parts;
      return { ...message, parts: [{ ...part, content: part.content.map(maskPart) }] };
    }
    case "assistant":
      return message;
  }
};

const maskPart = (part: TextPart | ImagePart): TextPart | ImagePart =>
  part.type === "text" ? { ...part, text: redactPii(part.text) } : part;
