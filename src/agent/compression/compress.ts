import type { Clock } from "../../base/clock.ts";
import type { Message, UserMessage } from "../../llm/message.ts";
import { nextTurn } from "../../base/event-loop-turn.ts";
import type {
  Compressible,
  CompressionOutcome,
  CompressionReason,
  CompressionSettings,
  CompressionWindow,
} from "./compression.ts";
import { fitResults } from "./fit-results.ts";
import { newestUserMessage, planCut, type Cut } from "./plan-cut.ts";
import { wasWorthwhile } from "./policy.ts";
import { pruneMessage } from "./prune.ts";
import { readMaterial } from "./summary-entries.ts";
import { joinPieces } from "./summary-message.ts";
import type { Summarise } from "./summary-request.ts";
import { largestRequest, summaryBudget, thresholdOf } from "./window.ts";
import { writeSummary, type WrittenSummary } from "./write-summary.ts";

/** What a compression works with. */
export interface CompressDeps {
  readonly settings: CompressionSettings;
  readonly clock: Clock;
  /** Tokens of a whole request. */
  readonly estimate: (request: Compressible) => number;
  /** Tokens of one message; asked again for the same object, it should cost nothing. */
  readonly estimateMessage: (message: Message) => number;
  /** Masks secrets (R-REDACT-1). */
  readonly redact: (text: string) => string;
  readonly summarise: Summarise;
}

export interface CompressRequest {
  readonly compressible: Compressible;
  readonly window: CompressionWindow;
  readonly reason: CompressionReason;
  /** What the summary is to dwell on. */
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/** A middle of fewer tokens has nothing that a summary would make smaller. */
const LEAST_REPLACED = 300;
/** A summary of this part of the window or more is none. */
const LARGEST_SUMMARY = 0.24;
/** Summaries are never asked for fewer tokens than this: the headings alone take some. */
const LEAST_BUDGET = 256;
/** All calls for one summary together. */
const LONGEST_SUMMARISING_MS = 300_000;

/**
 * Makes a smaller conversation of one: old results cleared; if that is not enough, what stands between the beginning and the newest
 * messages put into a summary. Pure but for the summariser; never throws for an expected outcome. What it returns as `compressed` is
 * smaller than before by the given estimator, holds the person's newest message to the letter, and never parts calls from results.
 */
export const compress = async (deps: CompressDeps, request: CompressRequest): Promise<CompressionOutcome> => {
  if (request.signal.aborted) return { kind: "aborted" };
  const measured = await measure(deps, request);
  const cut = planCut({ ...measured, limits: cutLimits(deps.settings, measured) });
  const cleared = measured.messages.map((message, index) => (index < cut.tailStart ? measured.pruned(index) : message));
  const byPruning = settle(deps, measured, { messages: cleared, by: "pruning" });
  if (request.focus === undefined && byPruning !== undefined && byPruning.after <= measured.base + measured.room / 2)
    return byPruning;
  const written = await summariseMiddle(deps, measured, cut);
  if (written.kind === "aborted" || written.kind === "failed") return written;
  const summarised =
    written.kind === "written"
      ? settle(deps, measured, { ...written, messages: childOf(measured, cut, written.message) })
      : undefined;
  return summarised ?? worthwhile(request, byPruning) ?? { kind: "too_small", before: measured.before };
};

interface Measured extends CompressRequest {
  readonly messages: readonly Message[];
  /** Tokens of what no compression can shrink: system text and tools. */
  readonly base: number;
  readonly before: number;
  /** What the messages may take, in tokens. */
  readonly room: number;
  readonly threshold: number;
  /** The child must not be larger than this, in tokens, if shortening results can help it. */
  readonly limit: number;
  readonly size: (index: number) => number;
  readonly pruned: (index: number) => Message;
  readonly prunedSize: (index: number) => number;
}

/** So many tokens are counted before anything else may run. */
const COUNTED_AT_ONCE = 20_000;

const measure = async (deps: CompressDeps, request: CompressRequest): Promise<Measured> => {
  const { compressible, window, reason } = request;
  const { messages } = compressible;
  const base = deps.estimate({ ...compressible, messages: [] });
  let before = base;
  let paused = base;
  for (const message of messages) {
    before += deps.estimateMessage(message);
    if (before - paused < COUNTED_AT_ONCE) continue;
    await nextTurn();
    paused = before;
  }
  const pruned = prunerOf(messages);
  // The estimate may be far below what the provider counts: what is asked for is less than there is, whatever the window.
  const wanted = Math.min(
    thresholdOf(deps.settings, window),
    reason === "threshold" ? before : Math.floor(before * 0.6),
  );
  const limit = Math.min(largestRequest(window), reason === "overflow" ? Math.floor(before * 0.85) : before);
  return {
    ...request,
    messages,
    base,
    before,
    threshold: wanted,
    room: Math.max(0, wanted - base),
    limit,
    size: (index) => sizeOf(deps, messages[index]),
    pruned,
    prunedSize: (index) => sizeOf(deps, pruned(index)),
  };
};

const sizeOf = (deps: CompressDeps, message: Message | undefined): number =>
  message === undefined ? 0 : deps.estimateMessage(message);

/** Each message as it stands outside the tail; the person's newest one as it is. The same object at every call. */
const prunerOf = (messages: readonly Message[]): ((index: number) => Message) => {
  const anchor = newestUserMessage(messages);
  const turn = messages.findLastIndex(({ role }) => role === "user");
  const made = new Map<number, Message>();
  return (index) => {
    const known = made.get(index);
    if (known !== undefined) return known;
    const message = messages[index];
    if (message === undefined) throw new RangeError(`no message ${index}`);
    const pruned = index === anchor ? message : pruneMessage(message, { finished: index < turn });
    made.set(index, pruned);
    return pruned;
  };
};

const cutLimits = (settings: CompressionSettings, { room, threshold }: Measured) => {
  const mostTailTokens = Math.floor(room / 2);
  return {
    headMessages: settings.protectFirstN,
    headTokens: Math.floor(room / 7),
    tailMessages: settings.protectLastN,
    mostTailTokens,
    tailTokens: Math.min(Math.floor(settings.targetRatio * threshold), mostTailTokens),
  };
};

const summariseMiddle = async (deps: CompressDeps, measured: Measured, cut: Cut): Promise<WrittenSummary> => {
  const middle: Message[] = [];
  let tokens = 0;
  let clearedTokens = 0;
  for (let index = cut.headEnd; index < cut.tailStart; index += 1) {
    const message = measured.messages[index];
    if (message === undefined || index === cut.anchor) continue;
    middle.push(message);
    tokens += measured.size(index);
    clearedTokens += measured.prunedSize(index);
  }
  if (clearedTokens < LEAST_REPLACED) return { kind: "nothing" };
  const material = await readMaterial(middle, deps.redact);
  // Nothing new since the last summary: that one stays.
  if (material.entries.length === material.quoted && material.earlier.length > 0) return { kind: "nothing" };
  const { contextWindow } = measured.window;
  const asked = Math.min(
    summaryBudget(tokens, contextWindow),
    Math.floor(measured.room * 0.3),
    Math.floor(clearedTokens / 2),
  );
  return await writeSummary(
    { ...deps, summarise: inTime(deps) },
    {
      material,
      focus: measured.focus === undefined ? undefined : deps.redact(measured.focus),
      budget: Math.max(LEAST_BUDGET, asked),
      tooLarge: Math.min(clearedTokens, Math.floor(contextWindow * LARGEST_SUMMARY)),
      signal: measured.signal,
    },
  );
};

/** A summariser that is given up after a while: the turn waits for it. */
const inTime =
  ({ summarise, clock }: CompressDeps): Summarise =>
  async (request, { signal }) => {
    using deadline = clock.deadline(LONGEST_SUMMARISING_MS);
    const answer = await summarise(request, { signal: AbortSignal.any([signal, deadline.signal]) });
    if (answer.kind !== "aborted" || signal.aborted) return answer;
    return {
      kind: "failed",
      failure: "other",
      because: `no summary came within ${LONGEST_SUMMARISING_MS / 60_000} minutes`,
    };
  };

const childOf = ({ messages, pruned }: Measured, cut: Cut, summary: UserMessage): readonly Message[] => {
  const anchor = cut.anchor === undefined ? undefined : messages[cut.anchor];
  return joinPieces([
    Array.from({ length: cut.headEnd }, (_, index) => pruned(index)),
    [summary],
    anchor === undefined ? [] : [anchor],
    messages.slice(cut.tailStart),
  ]);
};

type Compressed = Extract<CompressionOutcome, { kind: "compressed" }>;

interface Candidate {
  readonly messages: readonly Message[];
  readonly by: Compressed["by"];
  readonly because?: string;
  readonly failure?: Compressed["failure"];
}

/** The outcome with these messages; undefined = it would be no smaller. What still does not fit the window gets its results shortened. */
const settle = (deps: CompressDeps, { base, before, limit }: Measured, child: Candidate): Compressed | undefined => {
  const total = (messages: readonly Message[]): number =>
    messages.reduce((tokens, message) => tokens + deps.estimateMessage(message), base);
  const whole = total(child.messages);
  const messages =
    whole <= limit
      ? child.messages
      : fitResults({ messages: child.messages, size: deps.estimateMessage, excess: whole - limit });
  const after = messages === child.messages ? whole : total(messages);
  if (after >= before) return undefined;
  const { by, because, failure } = child;
  return {
    kind: "compressed",
    messages,
    before,
    after,
    by,
    ...(because === undefined ? {} : { because }),
    ...(failure === undefined ? {} : { failure }),
  };
};

const worthwhile = ({ reason }: CompressRequest, outcome: Compressed | undefined): Compressed | undefined => {
  if (outcome === undefined || reason !== "threshold") return outcome;
  return wasWorthwhile(outcome) ? outcome : undefined;
};
