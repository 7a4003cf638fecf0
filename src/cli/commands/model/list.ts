import type { ExitCode } from "../../../base/app-error.ts";
import { LOCAL_SERVER_LABELS } from "../../../llm/catalogue/discover/discovered-model.ts";
import { USUAL_SERVERS } from "../../../llm/catalogue/discover/local-ports.ts";
import { SHIPPED_DATE } from "../../../llm/catalogue.ts";
import { llmErrors } from "../../../llm/errors.ts";
import { nearProviders } from "../../../llm/providers/near-providers.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatTime, plural } from "../../format.ts";
import { renderTable } from "../../table.ts";
import { inModels, textFlag, type ModelContext } from "./context.ts";
import {
  askedModels,
  findChoice,
  isMendable,
  knownModels,
  matches,
  providerChoices,
  rowJson,
  rowOf,
  unnamedServer,
  type ModelRow,
  type ProviderChoice,
} from "./model-rows.ts";
import { abilitiesText, priceText, windowText } from "./model-words.ts";

/** What is asked of `hermes model list`. */
export interface ListOptions {
  readonly provider?: string | undefined;
  readonly search?: string | undefined;
  /** Only servers on this machine. */
  readonly local: boolean;
  readonly json: boolean;
  /** Where servers on this machine are looked for; absent = the usual ports. */
  readonly ports?: readonly number[] | undefined;
}

/** `hermes model list`: what could answer. */
export const runModelList = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) =>
    modelList(context, {
      provider: textFlag(call, "provider"),
      search: textFlag(call, "search"),
      local: call.flags["local"] === true,
      json: call.flags.json === true,
    }),
  );

/** Lists models: of one provider as its endpoint says now, of this machine's servers, or of every provider that can be called. */
export const modelList = async (context: ModelContext, options: ListOptions): Promise<ExitCode> => {
  const { output } = context;
  const found = await rowsFor(context, options);
  const rows =
    options.search === undefined ? found.rows : found.rows.filter((row) => matches(row, options.search ?? ""));
  if (options.json) {
    output.stdout(`${JSON.stringify(rows.map(rowJson), undefined, 2)}\n`);
    return 0;
  }
  for (const note of found.notes) output.stderr(`${cleanText(note)}\n`);
  if (rows.length === 0) {
    output.stdout(
      options.search === undefined ? found.whenEmpty : `No model matches "${cleanText(options.search)}".\n`,
    );
    return 0;
  }
  output.stdout(renderModels(rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  if (output.isTerminal.stdout) output.stderr(`${plural(rows.length, "model")}. ${datedNote(context)}\n`);
  return 0;
};

interface Found {
  readonly rows: readonly ModelRow[];
  /** What a person should know about where the list is from. */
  readonly notes: readonly string[];
  readonly whenEmpty: string;
}

const rowsFor = async (context: ModelContext, options: ListOptions): Promise<Found> => {
  if (options.local) return await localRows(context, options.ports);
  const choices = providerChoices(context.app, context.models);
  if (options.provider !== undefined) return await providerRows(context, chosen(choices, options.provider));
  const listed = choices
    .filter(({ ready }) => ready)
    .flatMap((choice) => knownModels(context.app, context.models, choice));
  // A search over what could be had helps to choose; a list of all of it helps nobody.
  const widened = listed.length === 0 && options.search !== undefined;
  return {
    rows: widened
      ? choices.filter(isMendable).flatMap((choice) => knownModels(context.app, context.models, choice))
      : listed,
    notes: widened ? ["No provider has a key yet; these are models that could be had."] : [],
    whenEmpty:
      "No provider has a key yet. `hermes model list --provider ID` lists one's models, `--local` those on this machine.\n",
  };
};

const chosen = (choices: readonly ProviderChoice[], wanted: string): ProviderChoice => {
  const choice = findChoice(choices, wanted);
  if (choice !== undefined) return choice;
  const nearest = nearProviders(
    wanted,
    choices.map((candidate) => candidate.id),
  );
  throw llmErrors.unknownProvider({ provider: wanted, nearest });
};

const providerRows = async (context: ModelContext, choice: ProviderChoice): Promise<Found> => {
  const { app, models, signal } = context;
  const asked = await askedModels(models, choice, signal);
  if (asked.kind === "rows") {
    return { rows: sorted(asked.rows), notes: [], whenEmpty: `${choice.id} serves no models.\n` };
  }
  const rows = knownModels(app, models, choice);
  const why = whyNotAsked(choice, asked);
  const notes = why === undefined ? [] : [`${why}: this is what the catalogue knows.`];
  return { rows, notes, whenEmpty: `The catalogue knows no models of ${choice.id}.\n` };
};

const whyNotAsked = (
  { missing }: ProviderChoice,
  asked: Exclude<Awaited<ReturnType<typeof askedModels>>, { kind: "rows" }>,
): string | undefined => {
  if (missing !== undefined) return missing.message;
  return asked.kind === "failed" ? `the endpoint's own list could not be had (${asked.error.message})` : undefined;
};

const localRows = async (
  { models, app, signal }: ModelContext,
  ports: readonly number[] | undefined,
): Promise<Found> => {
  const servers = await models.catalogue.localServers(signal, ports);
  const choices = providerChoices(app, models);
  const rows = servers.flatMap(({ baseUrl, models: served }) => {
    const known = choices.find(({ target }) => target?.baseUrl === baseUrl);
    const choice = known ?? unnamedServer();
    return served.map((model) => rowOf(models, choice, model));
  });
  const notes = servers.map(
    ({ server, baseUrl, models: served }) =>
      `${LOCAL_SERVER_LABELS[server]} at ${baseUrl}: ${plural(served.length, "model")}`,
  );
  return {
    rows,
    notes,
    whenEmpty:
      servers.length > 0
        ? "The servers have no models yet.\n"
        : `No server of models answers on this machine (${usualPlaces()}).\n`,
  };
};

const usualPlaces = (): string =>
  USUAL_SERVERS.map(({ server, port }) => `${LOCAL_SERVER_LABELS[server]} ${port}`).join(", ");

const sorted = (rows: readonly ModelRow[]): readonly ModelRow[] =>
  rows.toSorted((left, right) => left.model.localeCompare(right.model));

const renderModels = (rows: readonly ModelRow[], width: number): string =>
  renderTable(
    [
      { heading: "" },
      { heading: "PROVIDER" },
      { heading: "MODEL" },
      { heading: "WINDOW", align: "right" },
      { heading: "$ PER MILLION, IN / OUT" },
      { heading: "CAN" },
    ],
    rows.map((row) => [
      row.current ? "*" : "",
      row.provider,
      row.model,
      rowWindow(row),
      priceText(row.price),
      abilitiesText(row.abilities),
    ]),
    width,
  );

/** `?` = nothing is known of it; `up to` = a local server has not loaded it yet. */
const rowWindow = ({ contextWindow, contextWindowFrom, largestWindow }: ModelRow): string => {
  if (largestWindow !== undefined && contextWindowFrom !== "endpoint") return `up to ${windowText(largestWindow)}`;
  return contextWindowFrom === "assumed" ? `${windowText(contextWindow)}?` : windowText(contextWindow);
};

const datedNote = ({ app, models }: ModelContext): string => {
  const fetchedAt = models.catalogue.fetched()?.fetchedAt ?? 0;
  const date = fetchedAt === 0 ? SHIPPED_DATE : formatTime(fetchedAt, app.config.section("timezone")).slice(0, 10);
  return `Prices and windows as of ${date}; hermes model refresh fetches newer ones.`;
};
