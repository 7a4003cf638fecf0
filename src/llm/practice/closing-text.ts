import { sliceCharacters } from "../../base/slice-characters.ts";
import type { ToolResultPart } from "../message.ts";
import type { LlmRequest } from "../request.ts";
import type { CallStep, Turn } from "./step.ts";

/** How much of one result is repeated. */
const MAX_LINES = 20;
const MAX_CHARS = 1_500;

/** How to connect a model that thinks. */
const CONNECT =
  "To connect a real model: `hermes auth add PROVIDER` takes a key or signs in (`hermes auth list --all` names the providers), then `hermes model` chooses the model; it finds servers on this machine, too.";

const SIGNATURE = `— practice model (rules, not a real model). ${CONNECT}`;

/** What the practice model says at the end of a turn: each thing done with what its tool answered, what was not, and what it is. */
export const closingText = (turn: Turn, request: LlmRequest): string => {
  const known = turn.steps.filter((step) => step.kind !== "unknown");
  if (known.length === 0)
    return `This is the practice model: it follows only a few plain requests, and "${shortened(turn.request)}" is none of them. Say "help" to see them.\n\n${SIGNATURE}`;
  let calls = 0;
  const parts = turn.steps.map((step) => {
    if (step.kind === "say") return step.text;
    if (step.kind === "unknown") return `I did not understand "${shortened(step.words)}" and left it out.`;
    const made = calls < turn.results.length;
    const told = made ? toldResult(step, turn.results[calls]) : notDone(step, request);
    calls += 1;
    return told;
  });
  return `${parts.join("\n\n")}\n\n${SIGNATURE}`;
};

const toldResult = (step: CallStep, result: ToolResultPart | undefined): string => {
  const text =
    result === undefined ? "" : result.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  switch (result?.outcome) {
    case "ok":
      return text.trim() === "" ? `${step.did}: no output.` : `${step.did}:\n${fenced(text)}`;
    case "denied":
      return `${subjectOf(step)} was not allowed:\n${fenced(text)}`;
    case "error":
      return `${subjectOf(step)} did not work:\n${fenced(text)}`;
    case "interrupted":
    case undefined:
      return `${subjectOf(step)} was interrupted.`;
    default:
      return `${step.did}.`;
  }
};

/** "Reading a.txt." as the subject of a sentence. */
const subjectOf = ({ doing }: CallStep): string => doing.replace(/\.$/, "");

const notDone = (step: CallStep, { tools }: LlmRequest): string =>
  tools.some((tool) => tool.name === step.tool)
    ? `Not done, because an earlier step failed: ${subjectOf(step)}.`
    : `Not done, because the tool ${step.tool} is not available here: ${subjectOf(step)}.`;

const fenced = (text: string): string => {
  const lines = text.replace(/\s+$/, "").split("\n");
  const kept = lines.slice(0, MAX_LINES).join("\n");
  const shown = sliceCharacters(kept, 0, MAX_CHARS);
  const rest = lines.length > MAX_LINES || shown.length < kept.length ? "\n… (more in the tool's result)" : "";
  // A fence longer than any inside keeps the block whole.
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown}${rest}\n${fence}`;
};

const shortened = (words: string): string => {
  const line = words.trim().replaceAll(/\s+/g, " ");
  return line.length <= 80 ? line : `${sliceCharacters(line, 0, 79)}…`;
};
