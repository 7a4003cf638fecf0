import { rotationWords } from "./rotation-words.ts";
import type { ExitCode } from "../base/app-error.ts";
import type { AgentEvent, AgentEventOf } from "../agent/event.ts";
import { retryWords } from "./moved-words.ts";
import { cleanText } from "./chat/text-safety.ts";
import { errorLines } from "./report-error.ts";
import type { Output } from "./output.ts";

/** How a turn is shown outside the interactive chat. */
export type PrintMode =
  /** `-z`: the answer alone, byte for byte. */
  | "answer"
  /** `chat -q`: the answer on stdout, what is done meanwhile on stderr. */
  | "progress"
  /** `chat -q -Q`: like `progress` without the progress. */
  | "quiet"
  /** `--json`: every event as a line. */
  | "json";

/** Shows a turn's events as they come; returns how it ended. */
export const printTurn = async (
  events: AsyncIterable<AgentEvent>,
  output: Output,
  options: { readonly mode: PrintMode; readonly verbose: boolean },
): Promise<ExitCode> => {
  let exitCode: ExitCode = 1;
  for await (const event of events) {
    if (options.mode === "json") output.stdout(`${JSON.stringify(event)}\n`);
    if (options.mode === "progress") printProgress(event, output, options.verbose);
    else if (options.mode !== "json" && event.type === "notice" && isMoney(event)) printNotice(event, output);
    if (event.type !== "turn_finished") continue;
    if (options.mode !== "json") printEnd(event, output, options.mode);
    exitCode = exitCodeOf(event);
  }
  return exitCode;
};

const exitCodeOf = (end: AgentEventOf<"turn_finished">): ExitCode => {
  switch (end.status) {
    case "completed":
      return 0;
    case "interrupted":
      return 130;
    case "failed":
    case "budget_exhausted":
      return 1;
  }
};

const printProgress = (event: AgentEvent, output: Output, verbose: boolean): void => {
  switch (event.type) {
    case "tool_started":
      output.stderr(`• ${event.tool} ${cleanText(event.summary)}\n`);
      return;
    case "tool_finished":
      if (verbose) output.stderr(`${cleanText(event.text)}\n`);
      else if (event.outcome !== "ok") output.stderr(`  ${event.outcome}: ${cleanText(firstLine(event.text))}\n`);
      return;
    case "subagent_started":
      output.stderr(`  ▸ sub-agent ${event.child}: ${cleanText(firstLine(event.goal))}\n`);
      return;
    case "subagent_finished":
      output.stderr(`  ▸ sub-agent ${event.child}: ${event.status} after ${seconds(event.durationMs)}\n`);
      return;
    case "waiting":
      output.stderr(`… no answer yet (${seconds(event.waitedMs)} of ${seconds(event.limitMs)})\n`);
      return;
    case "retrying":
      output.stderr(`… ${cleanText(retryWords(event))}\n`);
      return;
    case "notice":
      printNotice(event, output);
      return;
    case "compressing":
      output.stderr("… compressing the conversation\n");
      return;
    case "rotated":
      output.stderr(`! ${rotationWords(event)}\n`);
      return;
    default:
      return;
  }
};

/** What is told of money is told once and never again: no mode may swallow it. */
const isMoney = ({ code }: AgentEventOf<"notice">): boolean => code.startsWith("spend.");

const printNotice = ({ message }: AgentEventOf<"notice">, output: Output): void => {
  output.stderr(`! ${cleanText(message).replace(/\s+/gu, " ")}\n`);
};

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** An answer goes to a pipe as the model wrote it; a terminal gets no control characters from it, and a last newline. */
const printEnd = (end: AgentEventOf<"turn_finished">, output: Output, mode: PrintMode): void => {
  const isTerminal = output.isTerminal.stdout;
  const text = isTerminal ? cleanText(end.text) : end.text;
  const newline = mode === "answer" && !isTerminal ? "" : "\n";
  if (text !== "") output.stdout(text.endsWith("\n") && isTerminal ? text : `${text}${newline}`);
  if (end.status === "interrupted") output.stderr("✗ interrupted\n");
  if (end.status === "budget_exhausted")
    output.stderr("✗ The turn used all its steps. Continue with `hermes -c`, or raise --max-turns.\n");
  if (end.error !== undefined) output.stderr(errorLines(end.error));
};
