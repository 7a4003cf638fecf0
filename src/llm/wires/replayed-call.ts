import { randomBytes } from "node:crypto";
import { parseJson } from "../../base/parse-json.ts";
import type { AssistantMessage } from "../message.ts";
import { asRecord } from "./json-fields.ts";

/** The member that holds a call's arguments as the model wrote them where they are no JSON object (B07). */
export const UNPARSED_ARGUMENTS = "_unparsed_arguments";

/**
 * A call's arguments as they are sent back: the model's own string where it is a JSON object; servers that parse the history
 * refuse anything else, which therefore goes as the one member of an object.
 */
export const replayedArguments = (raw: string): string => {
  if (raw.trim() === "") return "{}";
  const text = raw.toWellFormed();
  return asRecord(parseJson(text)) === undefined ? JSON.stringify({ [UNPARSED_ARGUMENTS]: text }) : text;
};

/** Sent in place of reasoning that was not recorded, to providers that refuse a tool turn without any (B10). */
export const REASONING_FILLER = "(reasoning not recorded)";

/** An id for a call that came without one of its own. */
export const newCallId = (): string => `call_${randomBytes(9).toString("hex")}`;

/** What stands for an answer without text and calls: leaving it out would break the order of roles. */
export const standInText = ({ refusal, finish }: AssistantMessage): string => {
  if (refusal !== undefined && refusal !== "") return refusal.toWellFormed();
  return finish === "interrupted" ? "(interrupted)" : "(no answer)";
};
