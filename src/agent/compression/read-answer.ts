import { textOf, toolCallsOf, type AssistantMessage } from "../../llm/message.ts";
import type { ProviderError, ProviderErrorKind } from "../../llm/provider-error.ts";
import type { SummaryFailure } from "./compression.ts";
import { SUMMARY_HEADINGS } from "./summary-message.ts";
import type { SummaryAnswer } from "./summary-request.ts";

const broken = (because: string): SummaryAnswer => ({ kind: "failed", failure: "broken_answer", because });

/** What follows the headings may be short, but a text with fewer of them is something else: an excuse, an answer to the record. */
const LEAST_HEADINGS = 3;

/** Takes a summary from a model's answer: whole, no refusal, of the wanted form. */
export const readAnswer = (message: AssistantMessage): SummaryAnswer => {
  if (message.finish === "refusal" || message.refusal !== undefined) return broken("the model declined to summarise");
  if (message.finish === "length") return broken("the summary was cut off");
  if (toolCallsOf(message).length > 0) return broken("the model called a tool in place of a summary");
  const text = withoutFence(textOf(message).toWellFormed().trim());
  if (text === "") return broken("the summary was empty");
  if (countHeadings(text) < LEAST_HEADINGS) return broken("the model answered with something that is no summary");
  return { kind: "summary", text };
};

const FENCED = /^```[a-z]*\n([\s\S]*?)\n```$/;

const withoutFence = (text: string): string => (FENCED.exec(text)?.[1] ?? text).trim();

const countHeadings = (text: string): number => {
  // Small models write headings in bold, or number them.
  const lines = new Set(text.split("\n").map((line) => line.replaceAll(/^[\s#*\d.]+|[\s*:#]+$/g, "").toLowerCase()));
  return SUMMARY_HEADINGS.filter((heading) => lines.has(heading.toLowerCase())).length;
};

const FAILURES: Readonly<Partial<Record<ProviderErrorKind, SummaryFailure>>> = {
  auth: "no_provider",
  billing: "no_provider",
  model_not_found: "no_provider",
  budget: "no_provider",
  protocol: "broken_answer",
  empty_stream: "broken_answer",
  network: "broken_answer",
  stalled: "broken_answer",
};

/** Why a failed call left no summary. */
export const readFailure = ({ kind, message }: ProviderError): SummaryAnswer => ({
  kind: "failed",
  failure: FAILURES[kind] ?? "other",
  because: message,
});
