import { messageOf } from "../../base/app-error.ts";
import { costOf } from "../catalogue.ts";
import type { CallLog, CallWork } from "../call.ts";
import type { TokenEstimator } from "../estimate.ts";
import type { CallEvent } from "../event.ts";
import type { AssistantMessage } from "../message.ts";
import type { ModelTarget } from "../model-target.ts";
import type { ProviderError } from "../provider-error.ts";
import { describeCapReached } from "../spend/describe-cap.ts";
import type { SpendContext, SpendDecision, SpendLedger, SpendReservation } from "../spend/spend-ledger.ts";

/** What calls are paid with. Without a ledger nothing is written and nothing is bounded. */
export interface PaidCallDeps {
  readonly estimator: TokenEstimator;
  readonly ledger: SpendLedger | undefined;
  readonly log: CallLog;
  /** Calls one target with its one credential (`callModel` with the target's wire). */
  readonly call: (target: ModelTarget, work: CallWork) => AsyncIterable<CallEvent>;
}

/** A call, and who pays. */
export interface PaidWork extends CallWork {
  readonly charge: SpendContext | undefined;
}

/** How a call with one credential ended. */
export type CallEnd = Extract<CallEvent, { type: "done" | "failed" | "aborted" }>;

/**
 * One call with one credential: asks the ledger first, tells what it warns of, settles what was used. Returns how it ended;
 * everything else is yielded.
 */
export async function* paidCall(
  deps: PaidCallDeps,
  target: ModelTarget,
  work: PaidWork,
): AsyncGenerator<CallEvent, CallEnd, undefined> {
  let decision = await reserve(deps, target, work);
  let open = reservationIn(decision);
  let answered = false;
  try {
    for (const event of newsOf(decision, target)) yield event;
    if (isRefusal(decision)) return endOfRefusal(decision);
    for await (const event of deps.call(target, work)) {
      if (isEnd(event)) {
        const reservation = open;
        open = undefined;
        const message = messageOfEnd(event);
        if (reservation !== undefined) await settle(deps, reservation, { target, brought: message ?? "nothing" });
        return event;
      }
      if (event.type === "retrying" && answered) {
        // What broke off was made and is charged: the next attempt is asked for, and counted, by itself.
        const brokeOff = open;
        open = undefined;
        answered = false;
        if (brokeOff !== undefined) await settle(deps, brokeOff, { target, brought: "not_counted" });
        decision = await reserve(deps, target, work);
        open = reservationIn(decision);
        for (const news of newsOf(decision, target)) yield news;
        if (isRefusal(decision)) return endOfRefusal(decision);
      }
      answered ||= event.type !== "waiting" && event.type !== "retrying" && event.type !== "reached";
      yield event;
    }
    return { type: "failed", error: WITHOUT_END };
  } finally {
    // Whoever stopped reading ended the call.
    if (open !== undefined) await settle(deps, open, { target, brought: answered ? "not_counted" : "nothing" });
  }
}

const WITHOUT_END: ProviderError = { kind: "protocol", message: "the call ended without an answer" };

const isEnd = (event: CallEvent): event is CallEnd =>
  event.type === "done" || event.type === "failed" || event.type === "aborted";

const messageOfEnd = (event: CallEnd): AssistantMessage | undefined =>
  event.type === "done" ? event.message : event.partial;

/** Tokens that an answer is expected to have at most, where nothing bounds it. */
const EXPECTED_ANSWER_TOKENS = 8_192;

type Reserved = SpendDecision | { readonly kind: "unreadable"; readonly why: string };

type Refusal = Exclude<Reserved, { kind: "allowed" }>;

const isRefusal = (decision: Reserved | undefined): decision is Refusal =>
  decision !== undefined && decision.kind !== "allowed";

const reservationIn = (decision: Reserved | undefined): SpendReservation | undefined =>
  decision?.kind === "allowed" ? decision.reservation : undefined;

const endOfRefusal = (refusal: Refusal): Extract<CallEnd, { type: "failed" }> => ({
  type: "failed",
  error: {
    kind: "budget",
    message: refusal.kind === "refused" ? describeCapReached(refusal.cap) : unreadable(refusal.why),
  },
});

/** What the owner is told of a call that is allowed. */
const newsOf = (decision: Reserved | undefined, { provider, model }: ModelTarget): readonly CallEvent[] => {
  if (decision?.kind !== "allowed") return [];
  const near = decision.warn.map(({ percent, ...cap }): CallEvent => ({ type: "cap_near", cap, percent }));
  return decision.unpriced ? [...near, { type: "unpriced", provider, model }] : near;
};

const reserve = async (
  { ledger, estimator }: PaidCallDeps,
  target: ModelTarget,
  { request, charge }: PaidWork,
): Promise<Reserved | undefined> => {
  if (ledger === undefined || charge === undefined) return undefined;
  const inputTokens = estimator.estimateTokens(request);
  const bound = request.maxOutputTokens ?? target.maxOutputTokens ?? target.info.maxOutputTokens;
  const outputTokens = Math.min(bound ?? EXPECTED_ANSWER_TOKENS, EXPECTED_ANSWER_TOKENS);
  const estimate = {
    provider: target.provider,
    model: target.model,
    tokens: inputTokens + outputTokens,
    costUsd: costOf({ inputTokens, outputTokens }, target.info.price),
  };
  try {
    return await ledger.reserve(charge, estimate);
  } catch (thrown) {
    return { kind: "unreadable", why: messageOf(thrown) };
  }
};

/** A cap that cannot be looked up may be reached. */
const unreadable = (why: string): string => `no call is made while what was spent cannot be written down: ${why}`;

interface Settled {
  readonly target: ModelTarget;
  readonly brought: AssistantMessage | "nothing" | "not_counted";
}

/**
 * A call that brought nothing owes nothing; of one that broke off it is not known what it used. An answer is not lost because
 * it cannot be written down: its estimate stays counted.
 */
const settle = async (
  { log }: PaidCallDeps,
  reservation: SpendReservation,
  { target, brought }: Settled,
): Promise<void> => {
  const { provider, model, info } = target;
  try {
    if (brought === "nothing") return await reservation.cancel();
    const usage = brought === "not_counted" ? {} : (brought.usage ?? {});
    await reservation.settle({ provider, model, usage, costUsd: costOf(usage, info.price) });
  } catch (thrown) {
    log.warn(`what a call used cannot be written down: ${messageOf(thrown)}`, { provider, model });
  }
};
