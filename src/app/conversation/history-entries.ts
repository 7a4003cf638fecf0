import { sliceCharacters } from "../../base/slice-characters.ts";
import type { Grant } from "../../agent/grant.ts";
import { isFiller, isSummary } from "../../agent/compression/summary-message.ts";
import { planCall } from "../../agent/plan-call.ts";
import type { HistoryEntry } from "../../commands/ports.ts";
import { textOf, toolCallsOf, type AssistantMessage, type ToolCallPart, type ToolOutcome } from "../../llm/message.ts";
import type { StoredMessage } from "../../store/store.ts";
import type { RawTexts } from "./raw-texts.ts";

/** Who speaks for the program itself, not for the person, in a user message. */
const OWN_SURFACE = "hermes";

/** Whether a person said this. */
export const isFromPerson = (message: StoredMessage): boolean =>
  message.role === "user" && message.origin.surface !== OWN_SURFACE;

export interface HistorySource {
  readonly messages: readonly StoredMessage[];
  readonly raw: RawTexts;
  /** Knows how to say what a call does; absent = calls are shown as they were made. */
  readonly tools?: ToolWords;
}

export interface ToolWords {
  readonly grant: Grant;
  readonly cwd: string;
}

/** A conversation as it can be shown again. Pure. */
export const historyEntries = ({ messages, raw, tools }: HistorySource): readonly HistoryEntry[] => {
  const outcomes = new Map<string, ToolOutcome>();
  for (const message of messages) {
    if (message.role === "tool") outcomes.set(message.parts[0].callId, message.parts[0].outcome);
  }
  const toolEntry = (call: ToolCallPart): HistoryEntry => ({
    kind: "tool",
    tool: call.name,
    summary: summaryOf(call, tools),
    outcome: outcomes.get(call.id) ?? "interrupted",
  });
  return messages.flatMap((message): readonly HistoryEntry[] => {
    const text = raw.at(message.seq) ?? textOf(message);
    if (isSummary(message)) return isFromPerson(message) ? [{ kind: "user", text }] : [{ kind: "summarised" }];
    if (isFiller(message)) return [];
    if (message.role === "user") return isFromPerson(message) ? [{ kind: "user", text }] : [];
    if (message.role === "tool") return [];
    return [...answerEntry(message, text), ...toolCallsOf(message).map(toolEntry)];
  });
};

const answerEntry = (message: AssistantMessage, text: string): readonly HistoryEntry[] => {
  const said = text === "" ? (message.refusal ?? "") : text;
  return said === "" ? [] : [{ kind: "assistant", text: said }];
};

const MOST_ARGUMENT_CHARS = 200;

/** The tool's own words; of a call that this session could not make, its name and arguments. */
const summaryOf = (call: ToolCallPart, tools: ToolWords | undefined): string => {
  const planned = tools === undefined ? undefined : planCall(tools.grant, call, tools.cwd);
  if (planned?.kind === "ready") return planned.tool.summarise(planned.args);
  const { name, arguments: written } = call;
  return `${name} ${sliceCharacters(written, 0, MOST_ARGUMENT_CHARS)}`.trimEnd();
};
