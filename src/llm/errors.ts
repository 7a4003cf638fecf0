import { defineErrors } from "../base/app-error.ts";

interface CannotCall {
  readonly provider: string;
  /** Providers that can be called. */
  readonly working: readonly string[];
}

interface NoKey {
  readonly provider: string;
  readonly variables: readonly string[];
  /** Whether a key that `hermes auth add` keeps would do; false = it is taken from the variable alone. */
  readonly takesKept: boolean;
}

/** What can go wrong before a model is called. */
export const llmErrors = defineErrors({
  noModel: {
    code: "llm.no_model",
    message: () => "no model configured",
    hint: () =>
      "`hermes auth add PROVIDER` takes a key or signs in (`hermes auth list --all` names the providers), then `hermes model` chooses the model; it finds servers on this machine, too. Or try --provider practice",
    exitCode: 1,
  },
  noModelName: {
    code: "llm.no_model_name",
    message: (p: { provider: string; examples: readonly string[] }) =>
      `no model is named for the provider ${p.provider}${p.examples.length === 0 ? "" : ` (for example ${p.examples.join(", ")})`}`,
    hint: () => "`hermes model` chooses one; `hermes config set model.default NAME` writes it without asking",
    exitCode: 1,
  },
  noKey: {
    code: "llm.no_key",
    message: (p: NoKey) =>
      `the provider ${p.provider} needs a key, and ${p.variables.join(", ")} ${p.variables.length === 1 ? "is" : "are"} not set`,
    hint: ({ provider, variables: [variable = "KEY"], takesKept }: NoKey) =>
      takesKept
        ? `\`hermes auth add ${provider}\` asks for it; or set ${variable}: \`… | hermes config set ${variable} -\``
        : `\`hermes config set ${variable}\` asks for it; \`… | hermes config set ${variable} -\` reads it from a command`,
    exitCode: 1,
  },
  noLogin: {
    code: "llm.no_login",
    message: (p: { provider: string }) => `the provider ${p.provider} needs a login, and there is none`,
    hint: (p: { provider: string }) => `hermes auth add ${p.provider}`,
    exitCode: 1,
  },
  providerTaken: {
    code: "llm.provider_taken",
    message: (p: { id: string }) => `a plugin adds a provider with the id "${p.id}", which there is already`,
    hint: () => "remove the plugin, or give its provider another id",
    exitCode: 1,
  },
  unknownProvider: {
    code: "llm.unknown_provider",
    message: (p: { provider: string; nearest: readonly string[] }) =>
      `there is no provider "${p.provider}"${p.nearest.length === 0 ? "" : `; did you mean ${p.nearest.join(" or ")}?`}`,
    hint: () =>
      "`hermes auth list --all` names every provider; an endpoint of your own stands under providers: with its base_url",
    exitCode: 1,
  },
  noBaseUrl: {
    code: "llm.no_base_url",
    message: (p: { provider: string; key: string }) => `the provider ${p.provider} has no address: ${p.key} is not set`,
    hint: (p: { provider: string; key: string }) => `hermes config set ${p.key} https://host/v1`,
    exitCode: 1,
  },
  badBaseUrl: {
    code: "llm.bad_base_url",
    message: (p: { provider: string; url: string }) =>
      `the address of the provider ${p.provider} is no http(s) URL: ${p.url}`,
    hint: () => "an address looks like https://host/v1; a key does not belong in it",
    exitCode: 1,
  },
  cannotCall: {
    code: "llm.cannot_call",
    message: (p: CannotCall) =>
      `the provider ${p.provider} is called through a program of its own, which this version cannot start`,
    hint: (p: CannotCall) =>
      `what works: ${p.working.join(", ")}, and any server of the chat-completions format by its base_url`,
    exitCode: 1,
  },
  aliasLoop: {
    code: "llm.alias_loop",
    message: (p: { alias: string }) => `the model alias "${p.alias}" leads back to itself`,
    hint: () => "hermes config edit, section model_aliases",
    exitCode: 1,
  },
  badCaFile: {
    code: "llm.bad_ca_file",
    message: (p: { path: string; why: string }) => `the extra certificates ${p.path} cannot be read: ${p.why}`,
    hint: () => "NODE_EXTRA_CA_CERTS must name a PEM file",
    exitCode: 1,
  },
  badProxy: {
    code: "llm.bad_proxy",
    message: (p: { why: string }) => `the proxy setting cannot be used: ${p.why}`,
    hint: () => "HTTP_PROXY and HTTPS_PROXY look like http://host:port",
    exitCode: 1,
  },
  answerTooLarge: {
    code: "llm.answer_too_large",
    message: (p: { mebibytes: number }) => `the provider's answer is larger than ${p.mebibytes} MiB`,
    exitCode: 1,
  },
});
