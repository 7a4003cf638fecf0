import type { Message, Part } from "../../llm/message.ts";

/** A message as one line: its text, and its calls and results in brackets. */
export const messageLine = ({ parts }: Message): string =>
  parts
    .map((part) => wordsOf(part))
    .filter((words) => words !== "")
    .join(" ")
    .replace(BLANK, " ")
    .trim();

const BLANK = /[\s\p{Cc}]+/gu;

const wordsOf = (part: Part): string => {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool_call":
      return `[calls ${part.name} ${part.arguments}]`;
    case "tool_result":
      return `[${part.name} ${part.outcome}] ${part.content.map((item) => wordsOf(item)).join(" ")}`;
    case "image":
      return "[image]";
    case "reasoning":
    case "opaque":
      return "";
  }
};
