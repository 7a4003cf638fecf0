import type { ModelChoice, ModelPort, SwitchOutcome } from "../../commands/ports.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { ModelTarget } from "../../llm/model-target.ts";
import { PRACTICE } from "../../llm/practice/practice-id.ts";
import { loadPersonalities } from "../session-preface.ts";
import type { Conversation } from "./conversation.ts";
import { missNote, namesAt, readModelName } from "./model-names.ts";
import { rememberModel } from "./remember-model.ts";

/** `/model` and `/reasoning` over a conversation. */
export const createModelPort = (conversation: Conversation): ModelPort => ({
  choices: async () => modelChoices(conversation),
  switchTo: (target, options) => switchModel(conversation, target, options),
  effort: conversation.effort,
  setEffort: (effort) => conversation.useEffort(effort),
  personalities: async () => {
    const { all, unusable } = await loadPersonalities(conversation.app);
    const current = conversation.personality()?.name;
    return { choices: all.map((each) => ({ ...each, current: each.name === current })), unusable };
  },
  usePersonality: (personality) => conversation.usePersonality(personality),
});

const switchModel = async (
  conversation: Conversation,
  target: string,
  { provider, remember }: { readonly provider?: string; readonly remember: boolean },
): Promise<SwitchOutcome> => {
  const { models } = conversation.session();
  const wanted = provider === undefined ? await wantedBy(conversation, target) : { model: target, provider };
  const resolution = models.resolve(wanted);
  if (resolution.kind === "none") {
    const { message, hint } = resolution.error;
    return { kind: "unavailable", reason: message, fix: hint ?? "/model lists what can be used." };
  }
  const client = resolution.kind === "practice" ? await models.practice() : models.clientFor(resolution.route);
  if (remember) {
    const aliases = conversation.app.config.section("model_aliases");
    const name = wanted.model ?? "";
    const baseUrl = Object.hasOwn(aliases, name) ? aliases[name]?.base_url : undefined;
    await rememberModel(conversation.app, { chosen: resolution, configured: models.resolve({}), baseUrl });
  }
  conversation.useModel(client);
  const note = resolution.kind === "model" ? await noteOn(conversation, resolution.target) : undefined;
  const { info } = client;
  return { kind: "switched", provider: info.provider, model: info.model, ...(note === undefined ? {} : { note }) };
};

const noteOn = async ({ app, session }: Conversation, target: ModelTarget): Promise<string | undefined> =>
  missNote(target, await namesAt(app, session().models, target));

/** What is asked of `resolve`. */
interface Wanted {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** What a target means: what `/model` lists under it, which may have come by an alias, else what was typed. */
const wantedBy = async (conversation: Conversation, target: string): Promise<Wanted> => {
  const name = target.toLowerCase();
  if (name === PRACTICE || name.startsWith(`${PRACTICE}:`)) return { provider: PRACTICE };
  const listed = listModels(conversation).find(({ info }) => `${info.provider}:${info.model}` === target);
  return listed?.wanted ?? (await readModelName(conversation.app, conversation.session().models, target));
};

interface ListedModel {
  readonly wanted: Wanted;
  readonly info: ModelClient["info"];
}

/**
 * What could answer now: the configured model, the owner's aliases and providers, and a few models of every provider whose
 * key is there. Only what resolves is listed.
 */
const listModels = (conversation: Conversation): readonly ListedModel[] => {
  const { models } = conversation.session();
  return candidates(conversation).flatMap((wanted): ListedModel[] => {
    const resolution = models.resolve(wanted);
    return resolution.kind === "model" ? [{ wanted, info: resolution.target.info }] : [];
  });
};

const candidates = ({ app, session }: Conversation): readonly Wanted[] => {
  const { catalogue } = session().models.catalogue;
  const own = Object.entries(app.config.section("providers")).flatMap(([provider, entry]) => [
    ...(entry.default_model === undefined ? [] : [{ provider, model: entry.default_model }]),
    ...Object.keys(entry.models ?? {}).map((model) => ({ provider, model })),
  ]);
  const aliases = Object.keys(app.config.section("model_aliases")).map((model) => ({ model }));
  const shipped = app.providerRows.flatMap((row) =>
    catalogue.examples(row.id).map((model) => ({ provider: row.id, model })),
  );
  return [{}, ...aliases, ...own, ...shipped];
};

/** The current model first, the practice model last, each once. */
const modelChoices = (conversation: Conversation): readonly ModelChoice[] => {
  const current = conversation.model().info;
  const found = new Map<string, ModelChoice>();
  for (const { provider, model } of [current, ...listModels(conversation).map(({ info }) => info)]) {
    const isCurrent = provider === current.provider && model === current.model;
    found.set(`${provider}:${model}`, { provider, model, current: isCurrent });
  }
  const practice = current.wire === "practice" ? [] : [{ provider: PRACTICE, model: PRACTICE, current: false }];
  return [...found.values(), ...practice];
};
