import type { CalledPlace } from "./called-place.ts";
import type { ProviderError, ProviderErrorKind } from "./provider-error.ts";

/** A failure in people's words: what it means, and what to do next. */
export interface Explanation {
  readonly meaning: string;
  readonly next: string;
}

/** What is known of the call that failed. */
export interface FailedCall {
  readonly target: CalledPlace;
  /** Variables that may hold the provider's key. */
  readonly variables?: readonly string[];
  /** Names of the provider that are near the one that was asked for. */
  readonly near?: readonly string[];
}

const orList = (items: readonly string[]): string => items.join(" or ");

type Explain = (error: ProviderError, call: FailedCall) => Explanation;

const EXPLANATIONS: Readonly<Record<ProviderErrorKind, Explain>> = {
  auth: (error, call) =>
    error.status === 403
      ? {
          meaning: `${call.target.provider} does not allow this: the account may not use ${call.target.model}, or not in this way.`,
          next: "Choose another model (hermes model), or see what the account there allows.",
        }
      : NOT_ACCEPTED(call),
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
  network: ({ broken }, call) => (broken === true ? BROKE_OFF(call) : UNREACHABLE(call)),
  stalled: (_, call) => TOO_SLOW(call, "stale_timeout_seconds"),
  timeout: (_, call) => TOO_SLOW(call, "request_timeout_seconds"),
  empty_stream: (_, call) => WRONG_FORMAT(call),
  protocol: (_, call) => WRONG_FORMAT(call),
  model_not_found: (_, { target, near = [] }) => ({
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
    meaning: `The request does not fit the window of ${target.model}.`,
    next: target.local
      ? "Load it with a larger window (Ollama: num_ctx, llama.cpp: -c, vLLM: --max-model-len); in a conversation, /new begins an empty one."
      : "Begin a new conversation (/new), or choose a model with a larger window: hermes model",
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
          next: `Sent again it will be refused again. It was asked in the format ${call.target.wire}; model.api_mode sets another one.`,
        },
};

const NOT_ACCEPTED = ({ target, variables = [] }: FailedCall): Explanation => {
  const { provider, access } = target;
  const list = `hermes auth list ${provider}`;
  switch (access) {
    case "login":
      return {
        meaning: `${provider} does not accept the login.`,
        next: `Sign in again: hermes auth add ${provider} --type oauth`,
      };
    case "key": {
      const where = variables.length === 0 ? "" : `Check ${orList(variables)}. `;
      return {
        meaning: `${provider} does not accept the key.`,
        next: `${where}${list} shows which key it is and where it comes from; hermes auth add ${provider} adds another.`,
      };
    }
    case "settings":
      return {
        meaning: `${provider} does not accept the key that the settings give it.`,
        next: "hermes config show says where it is set (model.api_key, or the key_env of the entry).",
      };
    case "none":
      return {
        meaning: `${provider} does not accept a call without a key.`,
        next:
          provider === "custom"
            ? "Give it one: hermes config set model.api_key"
            : `Give it one: hermes auth add ${provider}`,
      };
  }
};

const UNREACHABLE = ({ target }: FailedCall): Explanation => ({
  meaning: `${new URL(target.baseUrl).host} cannot be reached.`,
  next: target.local
    ? `Is the server running, and at this port? hermes model list --local shows what answers on this machine.${address(target)}`
    : `Is this machine online? HTTPS_PROXY counts if there is a proxy.${address(target)}`,
});

const BROKE_OFF = ({ target }: FailedCall): Explanation => ({
  meaning: `The connection to ${target.provider} broke in the middle of the answer.`,
  next: target.local
    ? "Try again; if it breaks again, the log of the server says why."
    : "Try again; if it breaks again, something on the way (a proxy, a VPN) cuts long answers.",
});

/** How to see the setting that an address comes from. */
const address = ({ addressKey }: CalledPlace): string =>
  addressKey === undefined ? "" : ` Its base_url: hermes config get ${addressKey}`;

const TOO_SLOW = ({ target }: FailedCall, setting: string): Explanation => ({
  meaning: `${target.provider} did not answer in time.`,
  next: target.local
    ? `A large model may still be loading: try again, or raise providers.${target.provider}.${setting}.`
    : `Try again; if it stays so, choose another model (hermes model), or raise providers.${target.provider}.${setting}.`,
});

const WRONG_ADDRESS = ({ target }: FailedCall): Explanation => ({
  meaning: `At ${target.baseUrl} nothing is found that answers requests of the format ${target.wire}.`,
  next:
    target.wire === "chat_completions" && !/\/v\d/.test(target.baseUrl)
      ? `base_url usually ends with /v1: ${target.baseUrl.replace(/\/+$/, "")}/v1`
      : `Check base_url; model.api_mode sets another format.${address(target)}`,
});

const WRONG_FORMAT = ({ target }: FailedCall): Explanation => ({
  meaning: `What ${new URL(target.baseUrl).host} answers is not of the format ${target.wire}.`,
  next: `Check base_url (is it a web page or a proxy?) and model.api_mode.${address(target)}`,
});

/** Says what a failed call means to the person, and what they can do. */
export const explainFailure = (error: ProviderError, call: FailedCall): Explanation =>
  EXPLANATIONS[error.kind](error, call);
