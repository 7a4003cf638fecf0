import type { Message, ToolCallPart, ToolMessage } from "../../llm/message.ts";

/** What was put right so that every provider takes the transcript. */
export interface Repairs {
  /** Results that no call had asked for, or that came twice. */
  strayResults: number;
  /** Calls that had no result; they get one that says so. */
  missingResults: number;
  /** Messages that are part of the one before: nobody else had spoken in between. */
  joined: number;
}

/** A message with the time (ms UTC) at which it was said. */
export interface Timed<M extends Message = Message> {
  readonly message: M;
  readonly createdAt: number;
}

/**
 * Brings a transcript into the order that holds here: a person speaks first, person and model take turns, each call has exactly one
 * result before anything else is said, in the order in which results came, and times never go back.
 */
export async function* orderMessages(all: AsyncIterable<Timed>, repairs: Repairs): AsyncIterable<Timed> {
  let last: Timed | undefined;
  for await (const next of answerCalls(all, repairs)) {
    if (last === undefined && next.message.role !== "user") yield { message: OPENING, createdAt: next.createdAt };
    const joined = last === undefined ? undefined : join(last.message, next.message);
    if (joined !== undefined) repairs.joined += 1;
    else if (last !== undefined) yield last;
    last = {
      message: joined ?? next.message,
      createdAt: last !== undefined && joined !== undefined ? last.createdAt : next.createdAt,
    };
  }
  if (last !== undefined) yield last;
}

/** Stands before a transcript that begins with the model. */
const OPENING: Message = {
  role: "user",
  parts: [{ type: "text", text: "[the conversation goes on]" }],
  origin: { surface: "hermes" },
};

const join = (before: Message, next: Message): Message | undefined => {
  if (before.role === "user" && next.role === "user") return { ...before, parts: [...before.parts, ...next.parts] };
  if (before.role !== "assistant" || next.role !== "assistant" || callsOf(before).size > 0) return undefined;
  return { ...next, parts: [...before.parts, ...next.parts] };
};

async function* answerCalls(all: AsyncIterable<Timed>, repairs: Repairs): AsyncIterable<Timed> {
  let open = new Map<string, ToolCallPart>();
  let time = 0;
  for await (const { message, createdAt } of all) {
    time = Math.max(time, createdAt);
    if (message.role === "tool") {
      const call = open.get(message.parts[0].callId);
      if (call === undefined) repairs.strayResults += 1;
      else yield { message: named(message, call), createdAt: time };
      open.delete(message.parts[0].callId);
      continue;
    }
    for (const call of open.values()) yield { message: withoutResult(call, repairs), createdAt: time };
    open = callsOf(message);
    yield { message, createdAt: time };
  }
  for (const call of open.values()) yield { message: withoutResult(call, repairs), createdAt: time };
}

const callsOf = (message: Message): Map<string, ToolCallPart> =>
  new Map(message.parts.flatMap((part) => (part.type === "tool_call" ? [[part.id, part]] : [])));

const named = (message: ToolMessage, call: ToolCallPart): ToolMessage => {
  const [result] = message.parts;
  return result.name === "" ? { ...message, parts: [{ ...result, name: call.name }] } : message;
};

const withoutResult = (call: ToolCallPart, repairs: Repairs): ToolMessage => {
  repairs.missingResults += 1;
  const content = [{ type: "text", text: "No result was kept." }] as const;
  return {
    role: "tool",
    parts: [{ type: "tool_result", callId: call.id, name: call.name, outcome: "interrupted", content }],
  };
};
