import { type AppError, defineErrors } from "../base/app-error.ts";
import type { CalledPlace } from "../llm/called-place.ts";
import type { ModelName } from "../llm/event.ts";
import { explainFailure } from "../llm/explain-failure.ts";
import type { ProviderError } from "../llm/provider-error.ts";

/** What ends a turn without an answer. */
export const agentErrors = defineErrors({
  sessionBusy: {
    code: "agent.session_busy",
    message: (p: { session: string; pid: number; surface: string }) =>
      `Session ${p.session} is being used by another process (pid ${p.pid}, ${p.surface}).`,
    hint: () =>
      "Wait until it is done, or go on in a copy: `/branch` in the chat. A run without -c and -r begins a session of its own.",
    exitCode: 1,
  },
  providerFailed: {
    code: "agent.provider_failed",
    message: (p: { provider: string; model: string; ended: "did not answer" | "broke off"; message: string }) =>
      `${p.provider} (${p.model}) ${p.ended}: ${p.message}`,
    hint: (p: { explained: string }) => p.explained,
    exitCode: 1,
  },
  windowFull: {
    code: "agent.window_full",
    message: (p: { model: string; because?: string }) =>
      `The conversation no longer fits into ${p.model}, and it could not be made shorter${p.because === undefined ? "" : ` (${p.because})`}.`,
    hint: () =>
      "`/new` begins anew, `/model` takes a model with a larger window, `/undo` takes the last message back, `/compress` tries again.",
    exitCode: 1,
  },
  windowTooSmall: {
    code: "agent.window_too_small",
    message: (p: { model: string; why: string }) => `${p.model} cannot be used: ${p.why}.`,
    hint: () =>
      "If its window is larger than that, `hermes config set model.context_length N` says so (a local server may have to be started with more, too). `hermes model` takes another one.",
    exitCode: 1,
  },
  notCompressed: {
    code: "agent.not_compressed",
    message: (p: { because: string }) => `The conversation could not be compressed: ${p.because}`,
    hint: () => "It goes on as it was. `/compress` tries again, `/new` begins anew.",
    exitCode: 1,
  },
  capReached: {
    code: "agent.cap_reached",
    message: (p: { message: string }) => p.message,
    hint: () => "`hermes budget` shows what is spent, and every budget.",
    exitCode: 1,
  },
  turnFailed: {
    code: "agent.turn_failed",
    message: (p: { message: string }) => `The turn failed: ${p.message}`,
    hint: () => "What had been saved is kept; `hermes logs errors` has the details.",
    exitCode: 1,
  },
  unknownToolset: {
    code: "agent.unknown_toolset",
    message: (p: { unknown: readonly string[]; known: readonly string[] }) =>
      `There is no toolset or tool named ${p.unknown.map((name) => `"${name}"`).join(", ")} in this version.`,
    hint: (p: { known: readonly string[] }) => `Available: ${p.known.join(", ")}.`,
    exitCode: 2,
  },
});

/** A call that failed for good, explained in the words of `hermes model test`. */
export const providerFailure = (
  { provider, model }: ModelName,
  error: ProviderError,
  place: CalledPlace | undefined,
): AppError => {
  const { meaning, next } =
    place === undefined
      ? { meaning: "Nothing more is known of it.", next: "`hermes logs errors` has the details." }
      : explainFailure(error, { target: place });
  const ended = error.broken === true ? "broke off" : "did not answer";
  return agentErrors.providerFailed({
    provider,
    model,
    ended,
    message: error.message,
    explained: `${meaning} ${next}`,
  });
};
