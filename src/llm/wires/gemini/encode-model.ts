import type { AssistantMessage, ToolCallPart } from "../../message.ts";
import { sendableName } from "../../sendable-name.ts";
import { argumentsText, objectText, type JsonText } from "../json-text.ts";
import { standInText } from "../replayed-call.ts";
import type { WireTarget } from "../wire.ts";
import type { OpenCalls } from "./open-calls.ts";
import { isSignedText, opaqueDataFor, type GeminiOpaqueData, type Signed } from "./opaque.ts";

/** Stands for the signature of a call that came from elsewhere, or whose arguments were masked: the later models refuse a call without any. */
const NO_SIGNATURE = "skip_thought_signature_validator";

type Item =
  | { readonly kind: "text" | "thought"; readonly text: string; readonly signature?: string }
  | { readonly kind: "call"; readonly call: ToolCallPart; readonly signature?: string }
  | { readonly kind: "verbatim"; readonly value: Readonly<Record<string, unknown>> };

/** What an assistant message is encoded with. */
export interface ModelContext {
  readonly target: WireTarget;
  readonly calls: OpenCalls;
}

/**
 * Encodes an assistant message (B09): every signature goes back on the very part that it came on, and only where that is the same
 * to the letter; thoughts without one are left out. Of parallel calls the first carries the signature.
 */
export const encodeModelParts = (message: AssistantMessage, context: ModelContext): readonly JsonText[] => {
  const items = collectItems(message, context.target).filter(isSent);
  const firstCall = items.find((item) => item.kind === "call");
  const parts = items.map((item) => encodeItem(item, { ...context, isFirst: item === firstCall }));
  const says = items.some((item) => item.kind !== "thought" && !(item.kind === "text" && item.text === ""));
  return says ? parts : [...parts, JSON.stringify({ text: standInText(message) })];
};

const isSent = (item: Item): boolean => {
  if (item.kind === "thought") return item.signature !== undefined;
  return item.kind !== "text" || item.signature !== undefined || item.text.trim() !== "";
};

const collectItems = ({ parts }: AssistantMessage, target: WireTarget): readonly Item[] => {
  const items: Item[] = [];
  for (const part of parts) {
    if (part.type === "text") items.push({ kind: "text", text: part.text });
    else if (part.type === "reasoning") items.push({ kind: "thought", text: part.text });
    else if (part.type === "tool_call") items.push({ kind: "call", call: part });
    else addOpaque(items, opaqueDataFor(part, target));
  }
  return items;
};

const addOpaque = (items: Item[], data: GeminiOpaqueData | undefined): void => {
  if (data === undefined) return;
  if (data.part === "verbatim") items.push({ kind: "verbatim", value: data.value });
  else items.push(...signedItems(items.pop(), data));
};

/** What the newest item becomes by a signature; a text of which only the end came under it is taken apart. */
const signedItems = (last: Item | undefined, signed: Signed): readonly Item[] => {
  const { of, length, signature } = signed;
  const kept = last === undefined ? [] : [last];
  if (of === "call") {
    return last?.kind === "call" && isSignedText(last.call.arguments, signed) ? [{ ...last, signature }] : kept;
  }
  if (length === 0) return [...kept, { kind: of, text: "", signature }];
  if (last?.kind !== of) return kept;
  const start = Math.max(0, last.text.length - length);
  const end = last.text.slice(start);
  if (!isSignedText(end, signed)) return kept;
  return [...(start === 0 ? [] : [{ ...last, text: last.text.slice(0, start) }]), { kind: of, text: end, signature }];
};

interface ItemContext extends ModelContext {
  readonly isFirst: boolean;
}

const encodeItem = (item: Item, context: ItemContext): JsonText => {
  switch (item.kind) {
    case "text":
    case "thought":
      return JSON.stringify({
        text: item.text.toWellFormed(),
        ...(item.kind === "thought" ? { thought: true } : {}),
        thoughtSignature: item.signature,
      });
    case "call":
      return encodeCall(item, context);
    case "verbatim":
      return JSON.stringify(item.value);
  }
};

const encodeCall = (
  { call, signature }: Extract<Item, { kind: "call" }>,
  { target, calls, isFirst }: ItemContext,
): JsonText => {
  const name = sendableName(call.name);
  const functionCall = objectText(
    new Map([
      ["id", JSON.stringify(calls.open(call.id, name))],
      ["name", JSON.stringify(name)],
      ["args", argumentsText(call.arguments)],
    ]),
  );
  const needed = isFirst && target.quirks.signedCalls === true ? NO_SIGNATURE : undefined;
  const sent = signature ?? needed;
  const members = new Map([["functionCall", functionCall]]);
  if (sent !== undefined) members.set("thoughtSignature", JSON.stringify(sent));
  return objectText(members);
};
