import type { WireEvent } from "./event.ts";
import { sendableName } from "./sendable-name.ts";
import type { AssistantMessage, AssistantPart, FinishReason, Usage } from "./message.ts";

/** Who is speaking. */
export interface Speaker {
  readonly provider: string;
  readonly model: string;
}

/** What has arrived of an answer. */
export interface Assembled {
  readonly message: AssistantMessage;
  /** Undefined while the provider has not said why it stopped. */
  readonly finish: FinishReason | undefined;
  /** Whether there is anything to keep: text that is more than blanks, reasoning, a call, a refusal. */
  readonly hasContent: boolean;
}

/** Builds the assistant message of one answer from its events, parts in the order in which they came. */
export interface Assembler {
  add(event: WireEvent): void;
  /** The message so far; without a finish of its own it is `interrupted`. */
  read(): Assembled;
}

type Growing =
  | { readonly type: "text" | "reasoning"; text: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; arguments: string }
  | Extract<AssistantPart, { type: "opaque" }>;

/** Usage comes whole or in parts; a later count replaces an earlier one. */
const mergedUsage = (before: Usage | undefined, now: Usage): Usage => ({ ...before, ...now });

const holdsContent = (part: AssistantPart): boolean => {
  if (part.type === "text") return part.text.trim() !== "";
  return part.type !== "opaque";
};

/** Starts an empty answer of `speaker`. */
export const createAssembler = ({ provider, model }: Speaker): Assembler => {
  const parts: Growing[] = [];
  const calls = new Map<number, Extract<Growing, { type: "tool_call" }>>();
  let usage: Usage | undefined;
  let finish: FinishReason | undefined;
  let refusal = "";

  const addText = (type: "text" | "reasoning", text: string): void => {
    const last = parts.at(-1);
    if (last?.type === type) last.text += text;
    else parts.push({ type, text });
  };

  const addCall = (event: Extract<WireEvent, { type: "tool_call" }>): void => {
    const call = { type: "tool_call" as const, id: event.id, name: sendableName(event.name), arguments: "" };
    calls.set(event.index, call);
    parts.push(call);
  };

  return {
    add: (event) => {
      if (event.type === "text" || event.type === "reasoning") addText(event.type, event.text);
      else if (event.type === "tool_call") addCall(event);
      else if (event.type === "tool_arguments") {
        const call = calls.get(event.index);
        if (call !== undefined) call.arguments += event.delta;
      } else if (event.type === "opaque") parts.push(event.part);
      else if (event.type === "usage") usage = mergedUsage(usage, event.usage);
      else if (event.type === "refusal") refusal += event.text;
      else if (event.type === "finish") finish = event.reason;
    },
    read: () => {
      const copied: readonly AssistantPart[] = parts.map((part) => ({ ...part }));
      return {
        message: {
          role: "assistant",
          parts: copied,
          provider,
          model,
          finish: finish ?? "interrupted",
          ...(usage === undefined ? {} : { usage }),
          ...(refusal === "" ? {} : { refusal }),
        },
        finish,
        hasContent: refusal !== "" || copied.some(holdsContent),
      };
    },
  };
};

/** The message of an answer that is there as a whole. */
export const assembleAnswer = (events: readonly WireEvent[], speaker: Speaker): Assembled => {
  const assembler = createAssembler(speaker);
  for (const event of events) assembler.add(event);
  return assembler.read();
};
