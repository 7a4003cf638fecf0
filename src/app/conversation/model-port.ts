import type { ModelChoice, ModelPort, SwitchOutcome } from "../../commands/ports.ts";
import { shippedCatalogue } from "../../llm/catalogue.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import { PROVIDER_ROWS } from "../../llm/providers/rows.ts";
import type { Resolution } from "../../llm/resolve/resolve-input.ts";
import type { Conversation } from "./conversation.ts";
import { PRACTICE, rememberModel } from "./remember-model.ts";

/** `/model` and `/reasoning` over a conversation. */
export const createModelPort = (conversation: Conversation): ModelPort => ({
  choices: async () => modelChoices(conversation),
  switchTo: (target, options) => switchModel(conversation, target, options),
  effort: conversation.effort,
  setEffort: (effort) => conversation.useEffort(effort),
});

const switchModel = async (
  conversation: Conversation,
  target: string,
  { provider, remember }: { readonly provider?: string; readonly remember: boolean },
): Promise<SwitchOutcome> => {
  const { models } = conversation.session();
  const resolution = models.resolve(isPractice(target) ? { provider: PRACTICE } : { model: target, provider });
  if (resolution.kind === "none") {
    const { message, hint } = resolution.error;
    return { kind: "unavailable", reason: message, fix: hint ?? "/model lists what can be used." };
  }
  const client = resolution.kind === "practice" ? await models.practice() : models.clientFor(resolution.target);
  const { info } = client;
  if (remember) {
    const aliases = conversation.app.config.section("model_aliases");
    const baseUrl = Object.hasOwn(aliases, target) ? aliases[target]?.base_url : undefined;
    await rememberModel(conversation.app, { chosen: resolution, configured: models.resolve({}), baseUrl });
  }
  conversation.useModel(client);
  return { kind: "switched", provider: info.provider, model: info.model };
};

/** As `/model` lists it, or short. */
const isPractice = (target: string): boolean => {
  const name = target.toLowerCase();
  return name === PRACTICE || name.startsWith(`${PRACTICE}:`);
};

interface Candidate {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/**
 * What could answer now: the current model, the configured one, the owner's aliases and providers, a few models of every
 * provider whose key is there, and the practice model. Only what resolves is listed, each once.
 */
const modelChoices = (conversation: Conversation): readonly ModelChoice[] => {
  const { models } = conversation.session();
  const current = conversation.model().info;
  const found = new Map<string, ModelChoice>();
  const add = (info: Pick<ModelClient["info"], "provider" | "model">): void => {
    const isCurrent = info.provider === current.provider && info.model === current.model;
    found.set(`${info.provider}:${info.model}`, { provider: info.provider, model: info.model, current: isCurrent });
  };
  add(current);
  for (const candidate of candidates(conversation)) {
    const resolution = resolved(models.resolve(candidate));
    if (resolution !== undefined) add(resolution);
  }
  if (current.wire !== "practice") add({ provider: PRACTICE, model: PRACTICE });
  return [...found.values()];
};

const resolved = (resolution: Resolution): Pick<ModelClient["info"], "provider" | "model"> | undefined =>
  resolution.kind === "model" ? resolution.target.info : undefined;

const candidates = ({ app }: Conversation): readonly Candidate[] => {
  const { providers, aliases } = {
    providers: app.config.section("providers"),
    aliases: app.config.section("model_aliases"),
  };
  const own = Object.entries(providers).flatMap(([provider, entry]) => [
    ...(entry.default_model === undefined ? [] : [{ provider, model: entry.default_model }]),
    ...Object.keys(entry.models ?? {}).map((model) => ({ provider, model })),
  ]);
  const listed = PROVIDER_ROWS.flatMap((row) =>
    shippedCatalogue.examples(row.id).map((model) => ({ provider: row.id, model })),
  );
  return [{}, ...Object.keys(aliases).map((model) => ({ model })), ...own, ...listed];
};
