import { sliceCharacters } from "../../base/slice-characters.ts";
import type { ToolResult } from "../tool.ts";
import { cutText } from "../tool-output.ts";
import type { ChildReport } from "./child.ts";

/** Most characters of one answer, and of all answers of a call together. */
const LONGEST_ANSWER = 16_000;
const LONGEST_BATCH = 40_000;
/** An answer is never cut to less. */
const SHORTEST_SHARE = 1_000;
const GOAL_CHARS = 80;

/** What the caller reads: a report for each task, in the order of the tasks; each bounded, the whole stands in the child's session. */
export const renderReports = (
  reports: readonly ChildReport[],
  { interrupted, changedFiles }: { readonly interrupted: boolean; readonly changedFiles: readonly string[] },
): ToolResult => {
  const share = Math.max(SHORTEST_SHARE, Math.min(LONGEST_ANSWER, Math.floor(LONGEST_BATCH / reports.length)));
  const texts = reports.map((report, index) => renderReport(report, { index, of: reports.length, share }));
  return { outcome: outcomeOf(reports, interrupted), text: [...texts, ...fileNote(changedFiles)].join("\n\n") };
};

const outcomeOf = (reports: readonly ChildReport[], interrupted: boolean): ToolResult["outcome"] => {
  const completed = reports.filter(({ status }) => status === "completed").length;
  if (interrupted && completed < reports.length) return "interrupted";
  return completed > 0 ? "ok" : "error";
};

interface Place {
  readonly index: number;
  readonly of: number;
  readonly share: number;
}

const renderReport = (report: ChildReport, { index, of, share }: Place): string => {
  const { task, session, status, because, text, leftRunning } = report;
  const name = of === 1 ? "" : `Task ${index + 1} of ${of} (${firstLine(task.goal)}): `;
  const head = `${name}${status}${session === undefined ? "" : factsOf(report)}.${because === undefined ? "" : ` ${because}`}`;
  const left = leftRunning.map(({ id, command }) => `Left running: ${id} (${firstLine(command)})`);
  const place = session === undefined ? "" : `the last message of session ${session}`;
  const answer = text.trim() === "" ? [] : [text.length > share ? cutText(text, share, place) : text];
  return [head, ...left, ...answer].join("\n");
};

const factsOf = ({ session, durationMs, modelCalls, toolCalls }: ChildReport): string =>
  ` after ${Math.round(durationMs / 1000)} s, ${modelCalls} model and ${toolCalls} tool calls, session ${session}`;

const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > GOAL_CHARS ? `${sliceCharacters(line, 0, GOAL_CHARS)}…` : line;
};

const MOST_FILES = 20;

const fileNote = (files: readonly string[]): readonly string[] => {
  if (files.length === 0) return [];
  const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : "";
  return [
    `[Changed since you read them: ${files.slice(0, MOST_FILES).join(", ")}${more}. Read them again before you change them.]`,
  ];
};
