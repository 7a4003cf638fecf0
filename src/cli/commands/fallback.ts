import type { ExitCode } from "../../base/app-error.ts";
import { readConfigFile } from "../../config/config-file.ts";
import { setKey, unsetKey, type EditTarget } from "../../config/edit.ts";
import { memberAt } from "../../config/plain-edit.ts";
import type { Config } from "../../config/schema/config.ts";
import { providerIdOf } from "../../llm/providers/provider-entry.ts";
import { cleanText } from "../chat/text-safety.ts";
import type { CommandCall } from "../command-call.ts";
import { confirm } from "../confirm.ts";
import { cliErrors } from "../errors.ts";
import { renderTable } from "../table.ts";
import { inModels, textFlag, type ModelContext } from "./model/context.ts";
import { findChoice, providerChoices } from "./model/model-rows.ts";

const KEY = "fallback_providers";

type Fallback = Config["fallback_providers"][number];

/** `hermes fallback list`: the models that take over, in their order. */
export const runFallbackList = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) => Promise.resolve(fallbackList(context, { json: call.flags.json === true })));

/** `hermes fallback add MODEL`. */
export const runFallbackAdd = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) =>
    fallbackAdd(context, {
      name: String(call.args[0] ?? ""),
      provider: textFlag(call, "provider"),
      baseUrl: textFlag(call, "baseUrl"),
      keyEnv: textFlag(call, "keyEnv"),
    }),
  );

/** `hermes fallback remove TARGET`. */
export const runFallbackRemove = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) => fallbackRemove(context, String(call.args[0] ?? "")));

/** `hermes fallback clear`. */
export const runFallbackClear = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, async (context) => {
    const entries = context.app.config.section(KEY);
    if (entries.length > 0 && call.flags["yes"] !== true) {
      const asked = await confirm(call.output, `Forget all ${entries.length} fallbacks?`, "hermes fallback clear");
      if (!asked) return 1;
    }
    return await fallbackClear(context);
  });

/** What a fallback lacks before it could take over; undefined = nothing. */
const lacks = (
  { models }: ModelContext,
  { provider, model, base_url: baseUrl, key_env: keyEnv }: Fallback,
): string | undefined => {
  // An entry with an address or a key of its own is judged when it is called.
  if (baseUrl !== undefined || keyEnv !== undefined) return undefined;
  const resolution = models.resolve({ provider, model });
  return resolution.kind === "none" ? resolution.error.message : undefined;
};

/** Lists the fallbacks with what each lacks. */
export const fallbackList = (context: ModelContext, { json }: { readonly json: boolean }): ExitCode => {
  const { app, output } = context;
  const entries = app.config.section(KEY);
  if (json) {
    output.stdout(
      `${JSON.stringify(
        entries.map((entry) => ({ ...entry, missing: lacks(context, entry) ?? null })),
        undefined,
        2,
      )}\n`,
    );
    return 0;
  }
  if (entries.length === 0) {
    output.stdout(
      "No fallbacks. `hermes fallback add PROVIDER/MODEL` names a model that takes over when yours cannot answer.\n",
    );
    return 0;
  }
  const rows = entries.map((entry, index) => [
    String(index + 1),
    entry.provider,
    entry.model,
    entry.base_url ?? "",
    lacks(context, entry) ?? "",
  ]);
  const headings = [
    { heading: "#", align: "right" as const },
    ...["PROVIDER", "MODEL", "ADDRESS", "MISSING"].map((heading) => ({ heading })),
  ];
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  return 0;
};

/** What is asked of `hermes fallback add`. */
export interface AddOptions {
  /** `PROVIDER/MODEL`, or with `provider` the model's name alone. */
  readonly name: string;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly keyEnv?: string | undefined;
}

/** Puts a model at the end of the list. Throws `cli.usage`, `cli.fallback_is_main`, `llm.unknown_provider` and what `setKey` throws. */
export const fallbackAdd = async (context: ModelContext, options: AddOptions): Promise<ExitCode> => {
  const { app, output } = context;
  const entry = entryOf(context, options);
  refuseMain(context, entry);
  const entries = app.config.section(KEY);
  if (entries.some((held) => isSame(held, entry))) {
    throw cliErrors.usage({ message: `${entry.provider} ${entry.model} is a fallback already.` });
  }
  const target = { home: app.home, clock: app.clock };
  // A list of the file's own grows by an item, so that its comments stay; every other form becomes a list.
  if (isPlainList(app.paths.config)) await setKey(target, `${KEY}.${entries.length}`, JSON.stringify(entry));
  else await setKey(target, KEY, JSON.stringify([...entries, entry]));
  output.stdout(`${entry.provider} ${entry.model} takes over as number ${entries.length + 1}.\n`);
  const missing = lacks(context, entry);
  if (missing !== undefined) output.stderr(`! It cannot be called yet: ${cleanText(missing)}\n`);
  return 0;
};

/** A call passes over a fallback that is the model itself: with it in the list nothing would take over. */
const refuseMain = ({ app, models }: ModelContext, entry: Fallback): void => {
  const main = models.resolve({});
  const { provider, default: model } = app.config.section("model");
  const now = main.kind === "model" ? main.target : { provider, model, baseUrl: undefined };
  if (providerIdOf(now.provider) !== providerIdOf(entry.provider) || now.model !== entry.model) return;
  if (entry.base_url !== undefined && entry.base_url !== now.baseUrl) return;
  throw cliErrors.fallbackIsMain({ provider: entry.provider, model: entry.model });
};

const isSame = (left: Fallback, right: Fallback): boolean =>
  left.provider.toLowerCase() === right.provider.toLowerCase() &&
  left.model === right.model &&
  left.base_url === right.base_url;

const isPlainList = (file: string): boolean => {
  const read = readConfigFile(file);
  return read.kind === "parsed" && Array.isArray(memberAt(read.value, [KEY]));
};

const entryOf = ({ app, models }: ModelContext, { name, provider, baseUrl, keyEnv }: AddOptions): Fallback => {
  const [, before, after] = /^([^/:\s]+)[/:](\S+)$/.exec(name.trim()) ?? [];
  const wanted = provider ?? before;
  const model = provider === undefined ? after : name.trim();
  if (wanted === undefined || model === undefined || model === "") {
    throw cliErrors.usage({ message: "Name it as PROVIDER/MODEL, or with --provider PROVIDER." });
  }
  const choice = findChoice(providerChoices(app, models), wanted);
  if (choice === undefined) {
    const { error } = unknownProvider(models, wanted, model);
    throw error;
  }
  return {
    provider: choice.id,
    model,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
  };
};

const unknownProvider = (
  models: ModelContext["models"],
  provider: string,
  model: string,
): { readonly error: Error } => {
  const resolution = models.resolve({ provider, model });
  return resolution.kind === "none"
    ? resolution
    : { error: cliErrors.usage({ message: `${provider} cannot be a fallback.` }) };
};

/** Takes one out, by its number, its model's name or `PROVIDER/MODEL`. Throws `cli.usage` for what is not in the list. */
export const fallbackRemove = async ({ app, output }: ModelContext, wanted: string): Promise<ExitCode> => {
  const entries = app.config.section(KEY);
  const index = /^\d+$/.test(wanted)
    ? Number(wanted) - 1
    : entries.findIndex(({ provider, model }) => wanted === model || wanted === `${provider}/${model}`);
  const entry = entries[index];
  if (entry === undefined) {
    const range =
      entries.length === 0 ? "There are none." : `There are ${entries.length}; hermes fallback list shows them.`;
    throw cliErrors.usage({ message: `There is no fallback "${cleanText(wanted)}". ${range}` });
  }
  const target: EditTarget = { home: app.home, clock: app.clock };
  if (entries.length === 1) await unsetKey(target, KEY);
  else if (isPlainList(app.paths.config)) await unsetKey(target, `${KEY}.${index}`);
  else await setKey(target, KEY, JSON.stringify(entries.toSpliced(index, 1)));
  output.stdout(`${entry.provider} ${entry.model} is no fallback any more.\n`);
  return 0;
};

/** Forgets all of them. */
export const fallbackClear = async ({ app, output }: ModelContext): Promise<ExitCode> => {
  if (app.config.section(KEY).length === 0) {
    output.stdout("There are no fallbacks.\n");
    return 0;
  }
  await unsetKey({ home: app.home, clock: app.clock }, KEY);
  output.stdout("There are no fallbacks any more.\n");
  return 0;
};
