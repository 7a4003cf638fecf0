import type { ExitCode } from "../../../base/app-error.ts";
import { missNote, readModelName, type NamedModel } from "../../../app/conversation/model-names.ts";
import { forgetPlace, rememberModel } from "../../../app/conversation/remember-model.ts";
import { setKey } from "../../../config/edit.ts";
import type { ModelTarget } from "../../../llm/model-target.ts";
import type { Resolution } from "../../../llm/resolve-model.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { inModels, textFlag, type ModelContext } from "./context.ts";
import { askedModels, findChoice, isMendable, knownModels, providerChoices } from "./model-rows.ts";
import { SMALL_WINDOW, windowText } from "./model-words.ts";

/** `hermes model set NAME`: which model answers from now on. */
export const runModelSet = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) =>
    modelSet(context, { name: String(call.args[0] ?? ""), provider: textFlag(call, "provider") }),
  );

/** What is asked of `hermes model set`. */
export interface SetOptions {
  readonly name: string;
  readonly provider?: string | undefined;
}

/**
 * Makes a model the configured one. A name that its provider does not list is taken with a note, since lists are never complete;
 * a provider that there is not, or that this version cannot call, is refused.
 */
export const modelSet = async (context: ModelContext, options: SetOptions): Promise<ExitCode> => {
  const { app, models, output } = context;
  const name = options.name.trim();
  if (name === "") throw cliErrors.usage({ message: "`hermes model set` needs the model's name." });
  const { provider } = options;
  const named = provider === undefined ? await readModelName(app, models, name) : { model: name, provider };
  const resolution = models.resolve(named);
  if (resolution.kind === "none") return await setUnready(context, named, resolution);
  await rememberModel(app, { chosen: resolution, configured: models.resolve({}) });
  if (resolution.kind === "practice") {
    output.stdout("The practice model answers from now on.\n");
    return 0;
  }
  const { target } = resolution;
  output.stdout(`${target.provider} ${target.model} answers from now on.\n`);
  for (const note of await notesOn(context, target)) output.stderr(`! ${cleanText(note)}\n`);
  return 0;
};

/** The choice counts although a key is missing: it is said what to do, and the next command does it. */
const setUnready = async (
  { app, models, output }: ModelContext,
  { model, provider }: NamedModel,
  { error }: Extract<Resolution, { kind: "none" }>,
): Promise<ExitCode> => {
  const choices = providerChoices(app, models);
  const aliases = app.config.section("model_aliases");
  const aliased = Object.hasOwn(aliases, model) ? aliases[model]?.provider : undefined;
  const choice = findChoice(choices, provider ?? aliased ?? app.config.section("model").provider);
  if (choice === undefined || !isMendable(choice)) throw error;
  const target = { home: app.home, clock: app.clock };
  const before = app.config.section("model");
  if (before.provider.toLowerCase() !== choice.id.toLowerCase()) await forgetPlace(app, { keepsAddress: false });
  await setKey(target, "model.default", model);
  await setKey(target, "model.provider", choice.id);
  output.stdout(`${choice.id} ${model} is the model, but it cannot be called yet.\n`);
  output.stderr(`! ${cleanText(error.message)}\n${error.hint === undefined ? "" : `  ${cleanText(error.hint)}\n`}`);
  return 0;
};

/** What a person should know of the model that was set. */
const notesOn = async (context: ModelContext, target: ModelTarget): Promise<readonly string[]> => {
  const { app, models, signal } = context;
  const choice = providerChoices(app, models).find(({ id }) => id === target.provider);
  if (choice === undefined) return [];
  const at = { ...choice, target };
  const asked = target.local ? await askedModels(models, at, signal) : undefined;
  const rows = asked?.kind === "rows" ? asked.rows : knownModels(app, models, at);
  const miss = missNote(
    target,
    rows.map(({ model }) => model),
  );
  const learned = models.catalogue.catalogue.find(target.provider, target.model, target.baseUrl);
  const window = target.info.contextWindowFrom === "config" ? target.info : learned;
  return [
    ...(asked?.kind === "failed" ? [`the endpoint could not be asked: ${asked.error.message}`] : []),
    ...(miss === undefined ? [] : [miss]),
    ...(window.contextWindowFrom !== "assumed" && window.contextWindow < SMALL_WINDOW
      ? [`its window holds ${windowText(window.contextWindow)} tokens; long tasks will be summarised early`]
      : []),
    ...(window.contextWindowFrom === "assumed"
      ? ["nothing is known of its window; model.context_length sets it, and hermes model test tries the model"]
      : []),
    ...(learned.abilities?.tools === false ? ["it is not known to call tools, so it can only talk"] : []),
  ];
};
