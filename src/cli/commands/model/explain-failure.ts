import type { ModelTarget } from "../../../llm/model-target.ts";
import type { ProviderError, ProviderErrorKind } from "../../../llm/provider-error.ts";

/** A failure in people's words: what it means, and what to do next. */
export interface Explanation {
  readonly meaning: string;
  readonly next: string;
}

/** What is known of the call that failed. */
export interface FailedCall {
  readonly target: Pick<ModelTarget, "provider" | "model" | "baseUrl" | "wire" | "local">;
  /** Variables that may hold the provider's key. */
  readonly variables: readonly string[];
  /** Names of the provider that are near the one that was asked for. */
  readonly near: readonly string[];
}

const orList = (items: readonly string[]): string => items.join(" or ");

type Explain = (error: ProviderError, call: FailedCall) => Explanation;

const EXPLANATIONS: Readonly<Record<ProviderErrorKind, Explain>> = {
  auth: (error, { target, variables }) => ({
    meaning:
      error.status === 403
        ? `${target.provider} knows the key but does not let it use this model or address.`
        : `${target.provider} does not accept the key or login.`,
    next:
      variables.length === 0
        ? `Sign in again: hermes auth add ${target.provider}`
        : `Check ${orList(variables)} (hermes config show says where it is set), or: hermes auth add ${target.provider}`,
  }),
  billing: (_, { target }) => ({
    meaning: `There is no money or quota left at ${target.provider}.`,
    next: "Top up there, or choose another model: hermes model",
  }),
  rate_limit: ({ retryAfterMs }, { target }) => ({
    meaning: `${target.provider} takes no more requests for now.`,
    next: `${retryAfterMs === undefined ? "Wait a little" : `Wait ${Math.ceil(retryAfterMs / 1000)} s`} and try again; the key and the address are right.`,
  }),
  overloaded: (_, { target }) => ({
    meaning: `${target.provider} is overloaded.`,
    next: "Try again later; hermes fallback add names a model that takes over meanwhile.",
  }),
  server: (_, { target }) => ({
    meaning: `${target.provider} has a fault of its own.`,
    next: "Try again later; hermes fallback add names a model that takes over meanwhile.",
  }),
  network: (_, { target }) => ({
    meaning: `${new URL(target.baseUrl).host} cannot be reached.`,
    next: target.local
      ? "Is the server running, and at this port? hermes model list --local shows what answers on this machine."
      : "Is this machine online? Check base_url, and HTTPS_PROXY if there is a proxy.",
  }),
  stalled: (_, call) => TOO_SLOW(call),
  timeout: (_, call) => TOO_SLOW(call),
  empty_stream: (_, call) => WRONG_FORMAT(call),
  protocol: (_, call) => WRONG_FORMAT(call),
  model_not_found: (_, { target, near }) => ({
    meaning: `${target.provider} has no model ${target.model}, or not for this key.`,
    next: near.length === 0 ? `hermes model list --provider ${target.provider}` : `Did you mean ${orList(near)}?`,
  }),
  policy: (_, { target }) => ({
    meaning: `${target.provider} refuses this for reasons of its policy.`,
    next: "Its account settings may have to allow it; else choose another model: hermes model",
  }),
  resource: (_, { target }) => ({
    meaning: `${target.provider} is short of memory.`,
    next: "Load a smaller model, or the same one with a smaller window.",
  }),
  overflow: (_, { target }) => ({
    meaning: `Even a short request does not fit the window that ${target.model} was loaded with.`,
    next: "Load it with a larger window (Ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len).",
  }),
  payload_too_large: (_, { target }) => ({
    meaning: `Something between here and ${target.provider} lets only small requests through.`,
    next: "Check the proxy.",
  }),
  budget: () => ({
    meaning: "Your own budget does not allow another call; nothing was sent.",
    next: "hermes budget shows what is spent, and every budget.",
  }),
  invalid_request: ({ status }, call) =>
    status === 404 || status === 405
      ? WRONG_ADDRESS(call)
      : {
          meaning: `${call.target.provider} does not understand the request.`,
          next: `It was asked in the format ${call.target.wire}; model.api_mode sets another one.`,
        },
};

const TOO_SLOW = ({ target }: FailedCall): Explanation => ({
  meaning: `${target.provider} did not answer in time.`,
  next: target.local
    ? "A large model may still be loading: try again, or raise providers.<id>.stale_timeout_seconds."
    : "Try again; if it stays so, choose another model: hermes model",
});

const WRONG_ADDRESS = ({ target }: FailedCall): Explanation => ({
  meaning: `At ${target.baseUrl} nothing is found that answers requests of the format ${target.wire}.`,
  next:
    target.wire === "chat_completions" && !/\/v\d/.test(target.baseUrl)
      ? `base_url usually ends with /v1: ${target.baseUrl.replace(/\/+$/, "")}/v1`
      : "Check base_url; model.api_mode sets another format.",
});

const WRONG_FORMAT = ({ target }: FailedCall): Explanation => ({
  meaning: `What ${new URL(target.baseUrl).host} answers is not of the format ${target.wire}.`,
  next: "Check base_url (is it a web page or a proxy?) and model.api_mode.",
});

/** Says what a failed call means to the person, and what they can do. */
export const explainFailure = (error: ProviderError, call: FailedCall): Explanation =>
  EXPLANATIONS[error.kind](error, call);
