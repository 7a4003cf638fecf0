import { AppError, messageOf } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { createAssembler, type Assembled, type Assembler } from "./assemble.ts";
import { openAttempt, type AttemptDeps } from "./attempt.ts";
import type { TokenEstimator } from "./estimate.ts";
import { secretTextsOf, type WireCredential } from "./credential.ts";
import type { CallEvent } from "./event.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "./message.ts";
import { loadImages, type LoadImage } from "./images.ts";
import type { ModelTarget } from "./model-target.ts";
import { networkError } from "./network-error.ts";
import type { ProviderError } from "./provider-error.ts";
import { repairAfter, withoutRefused, type Asked, type RepairMemory, type Repaired } from "./repair.ts";
import type { LlmRequest } from "./request.ts";
import { decideRetry } from "./retry.ts";
import { withStallGuard } from "./stall-guard.ts";
import { stallPolicyFor } from "./stall-policy.ts";
import type { WireRequest } from "./wires/wire.ts";

/** Writes what the owner may later want to know of a call. */
export interface CallLog {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What calls are made with; nothing of it belongs to one call. */
export interface CallDeps extends AttemptDeps {
  readonly clock: Clock;
  readonly estimator: TokenEstimator;
  readonly loadImage: LoadImage;
  readonly log: CallLog;
  /** What models refused in earlier calls of the same conversation. */
  readonly repairs: RepairMemory;
  /** 0 or more and less than 1. */
  readonly random: () => number;
}

/** What is asked, and until when. `elsewhere` = another credential or model can take over, so little is waited for. */
export interface CallWork {
  readonly request: LlmRequest;
  readonly signal: AbortSignal;
  readonly elsewhere?: boolean;
}

/** One call on its way. */
interface Call {
  readonly deps: CallDeps;
  readonly asked: Asked;
  readonly request: WireRequest;
  readonly contextTokens: number;
  readonly signal: AbortSignal;
}

type Outcome =
  | { readonly kind: "done"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly error: ProviderError; readonly partial: AssistantMessage | undefined }
  | { readonly kind: "aborted"; readonly partial: AssistantMessage | undefined };

/**
 * Calls a model: encodes, attempts until an answer is whole or trying again cannot help, and yields what happens. What the
 * provider refuses and can be done without is left out, which is no attempt of its own. Never throws; the last event is `done`,
 * `failed` or `aborted` (the caller's signal). Leaving the iteration ends the call.
 */
export async function* callModel(
  deps: CallDeps,
  target: ModelTarget,
  { request, signal, elsewhere = false }: CallWork,
): AsyncGenerator<CallEvent, void, undefined> {
  const repairs: Repaired[] = [];
  let attempt = 1;
  const asked = withoutRefused({ request: boundedBy(target, request), target }, deps.repairs);
  let prepared = await prepareCall(deps, asked, signal);
  while (prepared.kind === "ready") {
    const { call } = prepared;
    const outcome = yield* runAttempt(call);
    if (outcome.kind !== "failed") {
      if (outcome.kind === "done") for (const repair of repairs) repair.remember();
      yield endOf(outcome, target);
      return;
    }
    const { error } = outcome;
    const sent = attempt + repairs.length;
    const repaired = repairAfter(error, call.asked, deps.repairs);
    if (repaired !== undefined) {
      logFailure(call, error, { attempt: sent, next: `sending it again without ${repaired.leftOut}` });
      yield { type: "retrying", attempt: sent + 1, delayMs: 0, error, leftOut: repaired.leftOut };
      repairs.push(repaired);
      prepared = await prepareCall(deps, repaired.asked, signal);
      continue;
    }
    const { maxAttempts } = target;
    const decision = decideRetry(error, { attempt, maxAttempts, random: deps.random, elsewhere });
    if (decision.kind === "give_up") {
      yield endOf({ ...outcome, error: decision.error }, target);
      return;
    }
    const { delayMs } = decision;
    logFailure(call, error, { attempt: sent, next: `trying again in ${delayMs} ms` });
    yield { type: "retrying", attempt: sent + 1, delayMs, error };
    attempt += 1;
    if (!(await waited(deps.clock, delayMs, signal))) {
      yield { type: "aborted" };
      return;
    }
  }
  yield prepared.end;
}

const boundedBy = ({ maxOutputTokens }: ModelTarget, request: LlmRequest): LlmRequest =>
  request.maxOutputTokens === undefined && maxOutputTokens !== undefined ? { ...request, maxOutputTokens } : request;

type Prepared = { readonly kind: "ready"; readonly call: Call } | { readonly kind: "ended"; readonly end: CallEvent };

const prepareCall = async (deps: CallDeps, asked: Asked, signal: AbortSignal): Promise<Prepared> => {
  const { request, target } = asked;
  try {
    const images = await loadImages(request, deps.loadImage);
    const encoded = deps.wire.encode(request, target, images);
    const contextTokens = deps.estimator.estimateTokens(request);
    return { kind: "ready", call: { deps, asked, request: encoded, contextTokens, signal } };
  } catch (thrown) {
    const message = `the request cannot be made: ${messageOf(thrown)}`;
    const failed: CallEvent = { type: "failed", error: { kind: "invalid_request", message } };
    return { kind: "ended", end: signal.aborted ? { type: "aborted" } : failed };
  }
};

const endOf = (outcome: Outcome, { info }: ModelTarget): CallEvent => {
  if (outcome.kind === "done") return { type: "done", message: outcome.message, by: info };
  const partial = outcome.partial === undefined ? {} : { partial: outcome.partial };
  return outcome.kind === "aborted"
    ? { type: "aborted", ...partial }
    : { type: "failed", error: outcome.error, ...partial };
};

/** Whether the wait was sat through; false = the signal ended it. */
const waited = async (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch {
    // The sleep rejects for no other reason.
    return false;
  }
};

const logFailure = (
  { deps, asked: { target }, contextTokens }: Call,
  error: ProviderError,
  { attempt, next }: { readonly attempt: number; readonly next: string },
): void => {
  deps.log.warn(`model call failed (${error.kind}), ${next}: ${error.message} context=~${contextTokens} tokens`, {
    provider: target.provider,
    model: target.model,
    attempt,
  });
};

/** Makes one attempt: yields what streams in, returns how it ended. */
async function* runAttempt(call: Call): AsyncGenerator<CallEvent, Outcome, undefined> {
  const { deps, request, contextTokens, signal } = call;
  const { target } = call.asked;
  using deadline = deps.clock.deadline(target.requestTimeoutMs);
  const assembler = createAssembler(target);
  const policy = stallPolicyFor({ contextTokens, local: target.local, explicitMs: target.staleTimeoutMs });
  const guarded = withStallGuard((ended) => openAttempt(deps, { target, request }, ended), policy, {
    clock: deps.clock,
    signal: AbortSignal.any([signal, deadline.signal]),
    work: { contextTokens, streaming: target.stream },
  });
  let reached = false;
  try {
    for await (const event of guarded) {
      if (event.type === "error") return failedWith(call, assembler, seenFrom(reached, event.error));
      reached ||= event.type === "reached";
      if (event.type !== "waiting" && event.type !== "reached") assembler.add(event);
      if (event.type === "usage" || event.type === "finish" || event.type === "opaque" || event.type === "refusal")
        continue;
      yield event;
    }
  } catch (thrown) {
    if (signal.aborted) return { kind: "aborted", partial: partialOf(assembler.read()) };
    // A connection that breaks behind the end of an answer does not undo it.
    if (assembler.read().finish === undefined || thrown instanceof AppError) {
      return failedWith(call, assembler, seenFrom(reached, errorOf(thrown, call, deadline.signal.aborted)));
    }
  }
  return wholeOutcome(call, assembler);
}

/** A connection that breaks in an answer is another matter than one that cannot be made. */
const seenFrom = (reached: boolean, error: ProviderError): ProviderError =>
  reached && error.kind === "network" ? { ...error, broken: true } : error;

const partialOf = ({ message, hasContent }: Assembled): AssistantMessage | undefined =>
  hasContent ? { ...message, finish: "interrupted" } : undefined;

const failedWith = ({ asked: { target } }: Call, assembler: Assembler, error: ProviderError): Outcome => ({
  kind: "failed",
  error: { ...error, message: withoutSecrets(error.message, target.credential) },
  partial: partialOf(assembler.read()),
});

/** Some providers repeat the refused key; one in a form that no pattern knows is still ours to hide. */
const withoutSecrets = (text: string, credential: WireCredential): string =>
  secretTextsOf(credential)
    .filter((secret) => secret.length >= 6)
    .reduce((masked, secret) => masked.replaceAll(secret, "«key»"), text);

const errorOf = (thrown: unknown, { asked: { target } }: Call, timedOut: boolean): ProviderError => {
  if (timedOut) {
    return { kind: "timeout", message: `the call took longer than ${Math.round(target.requestTimeoutMs / 1000)}s` };
  }
  if (thrown instanceof AppError) {
    const kind = thrown.code === "llm.answer_too_large" ? "protocol" : "invalid_request";
    return { kind, message: thrown.hint === undefined ? thrown.message : `${thrown.message}; ${thrown.hint}` };
  }
  return networkError(thrown, target.baseUrl);
};

/** The body ended without an error: whether it held an answer (B03), and a whole one. */
const wholeOutcome = (call: Call, assembler: Assembler): Outcome => {
  const { message, finish, hasContent } = assembler.read();
  if (!hasContent && (finish === undefined || finish === "stop" || finish === "tool_calls")) {
    return failedWith(call, assembler, { kind: "empty_stream", message: "the provider answered with nothing in it" });
  }
  if ((finish === "stop" || finish === "tool_calls") && !isAnswer(message)) {
    const said = "the model stopped after its reasoning, without an answer";
    return failedWith(call, assembler, { kind: "empty_stream", message: said });
  }
  if (finish === undefined) {
    return failedWith(call, assembler, {
      kind: "network",
      message: "the answer broke off before its end",
      broken: true,
    });
  }
  return { kind: "done", message };
};

/** Reasoning alone tells a person nothing. */
const isAnswer = (message: AssistantMessage): boolean =>
  textOf(message).trim() !== "" || message.refusal !== undefined || toolCallsOf(message).length > 0;
