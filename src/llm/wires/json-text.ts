import { parseJson } from "../../base/parse-json.ts";
import { asRecord } from "./json-fields.ts";
import { replayedArguments } from "./replayed-call.ts";

/** A value as JSON text that is spliced into a body as it stands. */
export type JsonText = string;

/** Writes an object of members that are JSON text already, in their order. */
export const objectText = (members: ReadonlyMap<string, JsonText>): JsonText =>
  `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;

/** Adds a member to an object that has at least one. */
export const withMember = (object: JsonText, name: string, value: unknown): JsonText =>
  `${object.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`;

/** Walks the escapes of a JSON text, so that an escaped backslash before `ud800` is none. */
const ESCAPE = /\\(?:u(d[89a-f][\da-f]{2})|[^])/g;
const MAY_HOLD_SURROGATE = /\\ud/i;

/**
 * A call's arguments as the object that this format wants: the model's own text, byte for byte, so that no number is rounded
 * and no member lost (B07). Only an escaped lone surrogate, for which the body would be refused as a whole, is replaced.
 */
export const argumentsText = (raw: string): JsonText => {
  const text = replayedArguments(raw);
  if (!MAY_HOLD_SURROGATE.test(text)) return text.trim();
  const parsed = asRecord(parseJson(text)) ?? {};
  // Written anew, every surrogate that is still an escape is a lone one.
  return JSON.stringify(parsed).replace(ESCAPE, (escape, lone: string | undefined) =>
    lone === undefined ? escape : "\ufffd",
  );
};
