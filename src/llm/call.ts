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
  readonly target: ModelTarget;
  readonly request: WireRequest;
  readonly contextTokens: number;
  readonly signal: AbortSignal;
}

type Outcome =
  | { readonly kind: "done"; readonly message: AssistantMessage }
  | { readonly kind: "failed"; readonly error: ProviderError; readonly partial: AssistantMessage | undefined }
  | { readonly kind: "aborted"; readonly partial: AssistantMessage | undefined };

/**
 * Calls a model: encodes once, attempts until an answer is whole or trying again cannot help, and yields what happens.
 * Never throws; the last event is `done`, `failed` or `aborted` (the caller's signal). Leaving the iteration ends the call.
 */
export async function* callModel(
  deps: CallDeps,
  target: ModelTarget,
  { request, signal, elsewhere = false }: CallWork,
): AsyncGenerator<CallEvent, void, undefined> {
  let call: Call;
  try {
    call = await prepareCall(deps, target, { request, signal });
  } catch (thrown) {
    const error: ProviderError = {
      kind: "invalid_request",
      message: `the request cannot be made: ${messageOf(thrown)}`,
    };
    yield signal.aborted ? { type: "aborted" } : { type: "failed", error };
    return;
  }
  for (let attempt = 1; ; attempt += 1) {
    const outcome = yield* runAttempt(call);
    if (outcome.kind !== "failed") {
      yield endOf(outcome, target);
      return;
    }
    const { maxAttempts } = target;
    const decision = decideRetry(outcome.error, { attempt, maxAttempts, random: deps.random, elsewhere });
    if (decision.kind === "give_up") {
      yield endOf({ ...outcome, error: decision.error }, target);
      return;
    }
    logFailure(call, outcome.error, { attempt, delayMs: decision.delayMs });
    yield { type: "retrying", attempt: attempt + 1, delayMs: decision.delayMs, error: outcome.error };
    if (!(await waited(deps.clock, decision.delayMs, signal))) {
      yield { type: "aborted" };
      return;
    }
  }
}

const prepareCall = async (
  deps: CallDeps,
  target: ModelTarget,
  { request, signal }: { readonly request: LlmRequest; readonly signal: AbortSignal },
): Promise<Call> => {
  const bounded =
    request.maxOutputTokens === undefined && target.maxOutputTokens !== undefined
      ? { ...request, maxOutputTokens: target.maxOutputTokens }
      : request;
  const images = await loadImages(bounded, deps.loadImage);
  return {
    deps,
    target,
    request: deps.wire.encode(bounded, target, images),
    contextTokens: deps.estimator.estimateTokens(bounded),
    signal,
  };
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
  { deps, target, contextTokens }: Call,
  error: ProviderError,
  { attempt, delayMs }: { readonly attempt: number; readonly delayMs: number },
): void => {
  deps.log.warn(`model call failed (${error.kind}), trying again: ${error.message} context=~${contextTokens} tokens`, {
    provider: target.provider,
    model: target.model,
    attempt,
    delayMs,
  });
};

/** Makes one attempt: yields what streams in, returns how it ended. */
async function* runAttempt(call: Call): AsyncGenerator<CallEvent, Outcome, undefined> {
  const { deps, target, request, contextTokens, signal } = call;
  using deadline = deps.clock.deadline(target.requestTimeoutMs);
  const assembler = createAssembler(target);
  const policy = stallPolicyFor({ contextTokens, local: target.local, explicitMs: target.staleTimeoutMs });
  const guarded = withStallGuard((ended) => openAttempt(deps, { target, request }, ended), policy, {
    clock: deps.clock,
    signal: AbortSignal.any([signal, deadline.signal]),
    work: { contextTokens, streaming: target.stream },
  });
  try {
    for await (const event of guarded) {
      if (event.type === "error") return failedWith(call, assembler, event.error);
      if (event.type !== "waiting" && event.type !== "reached") assembler.add(event);
      if (event.type === "usage" || event.type === "finish" || event.type === "opaque" || event.type === "refusal")
        continue;
      yield event;
    }
  } catch (thrown) {
    if (signal.aborted) return { kind: "aborted", partial: partialOf(assembler.read()) };
    return failedWith(call, assembler, errorOf(thrown, call, deadline.signal.aborted));
  }
  return wholeOutcome(call, assembler);
}

const partialOf = ({ message, hasContent }: Assembled): AssistantMessage | undefined =>
  hasContent ? { ...message, finish: "interrupted" } : undefined;

const failedWith = ({ target }: Call, assembler: Assembler, error: ProviderError): Outcome => ({
  kind: "failed",
  error: { ...error, message: withoutSecrets(error.message, target.credential) },
  partial: partialOf(assembler.read()),
});

/** Some providers repeat the refused key; one in a form that no pattern knows is still ours to hide. */
const withoutSecrets = (text: string, credential: WireCredential): string =>
  secretTextsOf(credential)
    .filter((secret) => secret.length >= 6)
    .reduce((masked, secret) => masked.replaceAll(secret, "«key»"), text);

const errorOf = (thrown: unknown, { target }: Call, timedOut: boolean): ProviderError => {
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
    return failedWith(call, assembler, { kind: "network", message: "the answer broke off before its end" });
  }
  return { kind: "done", message };
};

/** Reasoning alone tells a person nothing. */
const isAnswer = (message: AssistantMessage): boolean =>
  textOf(message).trim() !== "" || message.refusal !== undefined || toolCallsOf(message).length > 0;
