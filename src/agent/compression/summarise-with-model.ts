import { estimateUnknown } from "../../llm/estimate.ts";
import type { AssistantMessage } from "../../llm/message.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { ProviderError } from "../../llm/provider-error.ts";
import type { SpendContext } from "../../llm/spend/spend-ledger.ts";
import { fitRecord, takePart, type RecordItem } from "./fit-record.ts";
import { readAnswer, readFailure } from "./read-answer.ts";
import { shorten } from "./shorten.ts";
import { summaryPrompt, type SummaryCall } from "./summary-prompt.ts";
import type { Summarise, SummaryAnswer, SummaryRequest } from "./summary-request.ts";

/** Who writes summaries, and who pays. */
export interface Summariser {
  readonly model: ModelClient;
  readonly charge?: SpendContext;
}

/** Most calls for one summary; a record that would take more is shortened first. */
const MOST_CALLS = 6;
/** So often a model may say that a part is too long for it. */
const MOST_REFITS = 3;
/** Of a window, what a request is filled to: estimates of the record may be a third too low. */
const FILLED = 0.65;
/** What the model may think before it writes. */
const THINKING_TOKENS = 8_000;
/** The instructions and what stands around the record. */
const AROUND_RECORD = 900;

/**
 * A summariser that asks a model. What does not fit the model's own window is read in parts, each bringing the summary of those
 * before up to date. Never throws.
 */
export const summariseWithModel =
  ({ model, charge }: Summariser): Summarise =>
  async (request, { signal }) => {
    if (model.info.wire === "practice") {
      return { kind: "failed", failure: "no_provider", because: "no model is connected that could summarise" };
    }
    const ask = (call: SummaryCall) => askOnce(model, call, { signal, ...(charge === undefined ? {} : { charge }) });
    return await readInParts(ask, request, model.info);
  };

/** What one call may hold, in tokens. */
interface Space {
  readonly record: number;
  readonly earlier: number;
  readonly output: number;
}

interface Limits {
  readonly contextWindow: number;
  readonly maxOutputTokens?: number;
}

const spaceIn = ({ contextWindow, maxOutputTokens }: Limits, { maxTokens, earlier }: SummaryRequest): Space => {
  const most = maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const output = Math.floor(Math.min(2 * maxTokens + THINKING_TOKENS, contextWindow / 3, most));
  const input = Math.max(0, Math.floor((contextWindow - output) * FILLED) - AROUND_RECORD);
  // From the second part on, the summary of those before stands where an earlier one would.
  const kept = Math.floor(Math.min(input / 2, Math.max(estimateUnknown(earlier), 1.5 * maxTokens)));
  return { output, earlier: kept, record: input - kept };
};

type Ask = (call: SummaryCall) => Promise<Asked>;

/** A record of which a call holds no more than this is not worth reading in parts. */
const LEAST_RECORD = 150;

const readInParts = async (ask: Ask, request: SummaryRequest, known: Limits): Promise<SummaryAnswer> => {
  let limits = known;
  let space = spaceIn(limits, request);
  let items = await fitRecord(request.entries, { perCall: space.record, calls: MOST_CALLS });
  let { earlier } = request;
  let part = 1;
  for (let refits = 0; ;) {
    if (space.record < LEAST_RECORD)
      return { kind: "failed", failure: "other", because: "the model's window is too small to summarise in" };
    const count = takePart(items, space.record);
    const asked = await ask({
      ...request,
      ...(earlier === undefined ? {} : { earlier: withinTokens(earlier, space.earlier) }),
      entries: items.slice(0, count),
      part,
      parts: part - 1 + countParts(items, space.record),
      maxOutputTokens: space.output,
    });
    if (asked.kind === "aborted") return asked;
    if (asked.kind === "failed") {
      if (asked.error.kind !== "overflow" || refits === MOST_REFITS) return readFailure(asked.error);
      refits += 1;
      limits = { ...limits, contextWindow: smallerWindow(limits.contextWindow, asked.error) };
      space = spaceIn(limits, request);
      items = await fitRecord(items, { perCall: space.record, calls: MOST_CALLS });
      continue;
    }
    const answer = readAnswer(asked.message);
    items = items.slice(count);
    if (answer.kind !== "summary" || items.length === 0) return answer;
    earlier = answer.text;
    part += 1;
  }
};

/** The window that the provider stated, if it is news; else half of what was thought. */
const smallerWindow = (thought: number, { contextWindow }: ProviderError): number =>
  contextWindow !== undefined && contextWindow < thought ? contextWindow : Math.floor(thought / 2);

const countParts = (items: readonly RecordItem[], perCall: number): number => {
  let parts = 1;
  for (let rest = items.slice(takePart(items, perCall)); rest.length > 0; rest = rest.slice(takePart(rest, perCall)))
    parts += 1;
  return parts;
};

const withinTokens = (text: string, most: number): string => {
  const tokens = estimateUnknown(text);
  return tokens <= most ? text : shorten(text, Math.floor((text.length * most * 0.9) / tokens));
};

type Asked =
  | { readonly kind: "answered"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly error: ProviderError }
  | { readonly kind: "aborted" };

const askOnce = async (
  model: ModelClient,
  call: SummaryCall,
  options: { readonly signal: AbortSignal; readonly charge?: SpendContext },
): Promise<Asked> => {
  for await (const event of model.call(summaryPrompt(call), options)) {
    if (event.type === "done") return { kind: "answered", message: event.message };
    if (event.type === "failed") return { kind: "failed", error: event.error };
    if (event.type === "aborted") return { kind: "aborted" };
  }
  return { kind: "failed", error: { kind: "protocol", message: "the call ended without an answer" } };
};
