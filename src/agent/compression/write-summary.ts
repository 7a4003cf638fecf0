import type { UserMessage } from "../../llm/message.ts";
import type { CompressionSettings, SummaryFailure } from "./compression.ts";
import { newestQuotes } from "./quotes.ts";
import { staticSummary } from "./static-summary.ts";
import type { Material } from "./summary-entries.ts";
import { summaryMessage } from "./summary-message.ts";
import type { Summarise, SummaryAnswer } from "./summary-request.ts";

export interface SummaryWork {
  readonly material: Material;
  readonly focus: string | undefined;
  /** Tokens that the summary is asked to have, with the person's own words. */
  readonly budget: number;
  /** Tokens from which on it is too large to be used. */
  readonly tooLarge: number;
  readonly signal: AbortSignal;
}

export interface SummaryDeps {
  readonly summarise: Summarise;
  /** Masks secrets: a summary may bring one up that its writer was told. */
  readonly redact: (text: string) => string;
  readonly estimateMessage: (message: UserMessage) => number;
  readonly settings: Pick<CompressionSettings, "abortOnSummaryFailure">;
}

/** The summary, or why there is none. `nothing` = no summary is smaller than what it would replace. */
export type WrittenSummary =
  | {
      readonly kind: "written";
      readonly message: UserMessage;
      readonly by: "model" | "static";
      readonly because?: string;
      readonly failure?: SummaryFailure;
    }
  | { readonly kind: "nothing" }
  | Exclude<SummaryAnswer, { kind: "summary" }>;

/** Of a summary's budget, this part is for what the person said, to the letter. */
const QUOTED_PART = 0.25;

/** Has a summary written by the model; by rules where it can't, or where what it writes is of no use (B20). */
export const writeSummary = async (deps: SummaryDeps, work: SummaryWork): Promise<WrittenSummary> => {
  const { material, focus, budget, tooLarge, signal } = work;
  const tokensOf = (text: string): number => deps.estimateMessage(summaryMessage({ body: text, quotes: [] })) - frame;
  const frame = deps.estimateMessage(summaryMessage({ body: "", quotes: [] }));
  const quotes = newestQuotes(material.quotes, { tokensOf, most: Math.floor(budget * QUOTED_PART) });
  const earlier = material.earlier.join("\n\n");
  const answer = await deps.summarise(
    {
      entries: material.entries,
      maxTokens: Math.floor(budget * (1 - QUOTED_PART)),
      ...(earlier === "" ? {} : { earlier }),
      ...(focus === undefined ? {} : { focus }),
    },
    { signal },
  );
  if (answer.kind === "aborted" || signal.aborted) return { kind: "aborted" };
  const failed = answer.kind === "failed" ? answer : judge(answer.text);
  if (answer.kind === "summary" && failed === undefined) {
    const message = summaryMessage({ body: deps.redact(answer.text.trim()), quotes });
    if (deps.estimateMessage(message) < tooLarge) return { kind: "written", message, by: "model" };
    if (deps.settings.abortOnSummaryFailure) return { kind: "nothing" };
  } else if (failed !== undefined && deps.settings.abortOnSummaryFailure) return failed;
  const because = failed?.because ?? "the summary was no smaller than what it stands for";
  const message = writeStatic(deps, { ...work, quotes, because });
  if (message === undefined) return { kind: "nothing" };
  return { kind: "written", message, by: "static", because, failure: failed?.failure ?? "broken_answer" };
};

const judge = (text: string): Extract<SummaryAnswer, { kind: "failed" }> | undefined =>
  text.trim() === "" ? { kind: "failed", failure: "broken_answer", because: "the summary was empty" } : undefined;

interface StaticWork extends SummaryWork {
  readonly quotes: readonly string[];
  readonly because: string;
}

/** Characters that a token has at most, as a beginning. */
const CHARACTERS_PER_TOKEN = 4;

/** The summary by rules, made shorter until it fits; undefined = even its frame does not. */
const writeStatic = (deps: SummaryDeps, work: StaticWork): UserMessage | undefined => {
  const { material, because, budget, tooLarge } = work;
  const limit = Math.min(budget, tooLarge - 1);
  let { quotes } = work;
  let most = budget * CHARACTERS_PER_TOKEN;
  for (let tries = 0; tries < 8; tries += 1) {
    const body = staticSummary({ ...material, because, most });
    const message = summaryMessage({ body, quotes });
    const tokens = deps.estimateMessage(message);
    if (tokens <= limit) return message;
    most = tries < 6 ? Math.floor((most * limit * 0.8) / tokens) : 0;
    if (tries >= 3) quotes = quotes.slice(Math.ceil(quotes.length / 2));
  }
  return undefined;
};
