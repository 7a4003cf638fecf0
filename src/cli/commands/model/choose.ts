import type { ExitCode } from "../../../base/app-error.ts";
import { forgetPlace } from "../../../app/conversation/remember-model.ts";
import { variable } from "../../../config/environment.ts";
import { LOCAL_SERVER_LABELS } from "../../../llm/catalogue/discover/discovered-model.ts";
import type { FoundServer } from "../../../llm/catalogue/discover/local-ports.ts";
import type { ModelTarget } from "../../../llm/model-target.ts";
import { setKey } from "../../../config/edit.ts";
import { terminalAbilities } from "../../chat/chat-config.ts";
import { createPalette } from "../../chat/palette.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { plural } from "../../format.ts";
import {
  askAddress,
  confirmUnready,
  isUnaddressed,
  reasonText,
  type NotChosen,
  type PickerScreen,
} from "./choose-unready.ts";
import type { ModelContext } from "./context.ts";
import {
  askedModels,
  isMendable,
  knownModels,
  providerChoices,
  rowOf,
  unnamedServer,
  type ModelRow,
  type ProviderChoice,
} from "./model-rows.ts";
import { abilitiesText, priceText, windowText } from "./model-words.ts";
import { pick, type PickerStreams } from "./pick.ts";
import type { PickerItem } from "./picker-state.ts";
import { modelSet } from "./set.ts";
import { showModel } from "./show.ts";

/** Where the list of this machine's servers is looked for; tests name their own. */
export interface ChooseOptions extends PickerStreams {
  readonly ports?: readonly number[];
}

/** A provider, a server on this machine that the settings do not name yet, or an endpoint at an address that was typed. */
type Place = ListedPlace | { readonly kind: "endpoint"; readonly target: ModelTarget };
type ListedPlace =
  | { readonly kind: "provider"; readonly choice: ProviderChoice }
  | { readonly kind: "server"; readonly server: FoundServer };

/** `hermes model` on a terminal: a provider, then one of its models; what is chosen is written into the settings. */
export const chooseModel = async (context: ModelContext, options: ChooseOptions): Promise<ExitCode> => {
  const { app, models, signal } = context;
  const { drawable, colour } = terminalAbilities({
    noColor: variable(app.environment, "NO_COLOR"),
    term: variable(app.environment, "TERM"),
  });
  if (!drawable) return showModel(context, { json: false });
  const palette = createPalette(colour);
  const servers = await models.catalogue.localServers(signal, options.ports);
  const places = placesOf(providerChoices(app, models), servers);
  for (;;) {
    const picked = await pickPlace(context, places, { ...options, palette });
    if (picked === undefined) return 0;
    const place = await prepared(context, picked, { ...options, palette });
    if (place === "left") return 0;
    if (place === "back") continue;
    const name = await pickModel(context, place, { ...options, palette });
    if (name === "left") return 0;
    if (name !== "back") return await take(context, place, name.model);
  }
};

/** Those that can be called come first; those that this version cannot call at all are left out. */
const placesOf = (choices: readonly ProviderChoice[], servers: readonly FoundServer[]): readonly ListedPlace[] => {
  const mendable = choices.filter(isMendable);
  const addresses = new Set(mendable.map(({ target }) => target?.baseUrl));
  const running = new Set(servers.map(({ baseUrl }) => baseUrl));
  // A local server that does not answer is not what a person looks for first.
  const isReady = ({ ready, target }: ProviderChoice): boolean =>
    ready && (target?.local !== true || running.has(target.baseUrl));
  const asPlace = (choice: ProviderChoice): ListedPlace => ({ kind: "provider", choice });
  return [
    ...mendable.filter((choice) => choice.current || isReady(choice)).map(asPlace),
    ...servers
      .filter(({ baseUrl }) => !addresses.has(baseUrl))
      .map((server): ListedPlace => ({ kind: "server", server })),
    ...mendable.filter((choice) => !choice.current && !isReady(choice)).map(asPlace),
  ];
};

type Screen = ChooseOptions & PickerScreen;

const pickPlace = async (
  { models }: ModelContext,
  places: readonly ListedPlace[],
  { palette, ...streams }: Screen,
): Promise<ListedPlace | undefined> => {
  const resolution = models.resolve({});
  const now = resolution.kind === "model" ? `${resolution.target.provider} ${resolution.target.model}` : "none";
  const items = places.map((place, index) => placeItem(place, String(index)));
  const frame = { title: `Which provider? (now: ${cleanText(now)})`, palette };
  const end = await pick({ items, frame, takesText: false }, streams);
  return end.kind === "chosen" ? places[Number(end.key)] : undefined;
};

/** What a place lacks is said before its models are shown; an endpoint of one's own gets the address that it lacks. */
const prepared = async ({ models }: ModelContext, place: ListedPlace, screen: Screen): Promise<Place | NotChosen> => {
  if (place.kind !== "provider" || place.choice.missing === undefined) return place;
  if (isUnaddressed(place.choice)) {
    const target = await askAddress(models, screen);
    return typeof target === "string" ? target : { kind: "endpoint", target };
  }
  const answer = await confirmUnready(place.choice.label, place.choice.missing, screen);
  return answer === "anyway" ? place : answer;
};

const placeItem = (place: ListedPlace, key: string): PickerItem => {
  if (place.kind === "server") {
    const { server, baseUrl, models } = place.server;
    const name = `${LOCAL_SERVER_LABELS[server]} (this machine)`;
    const columns = [name, cleanText(baseUrl), plural(models.length, "model")];
    return { key, columns, search: columns.join(" "), current: false };
  }
  const { id, label, target, missing, current } = place.choice;
  const state = missing === undefined ? readyText(target?.local === true) : needsText(missing.code);
  const columns = [cleanText(label), cleanText(id), state];
  return { key, columns, search: columns.slice(0, 2).join(" "), current };
};

const readyText = (local: boolean): string => (local ? "needs no key" : "ready");

const needsText = (code: string): string => {
  if (code === "llm.no_login") return "needs a login";
  return code === "llm.no_base_url" ? "needs an address" : "needs a key";
};

/** Longest wait for an endpoint's own list before the catalogue's is shown, in milliseconds. */
const ASK_MS = 3_000;

const pickModel = async (
  context: ModelContext,
  place: Place,
  { palette, ...streams }: Screen,
): Promise<"back" | "left" | { readonly model: string }> => {
  const { rows, note } = await rowsOf(context, place);
  const items = rows.map((row) => ({
    key: row.model,
    columns: [cleanText(row.model), windowColumn(row), priceText(row.price), abilitiesText(row.abilities)],
    search: row.model,
    current: row.current,
  }));
  const frame = {
    title: `Which model of ${cleanText(labelOf(place))}?  window · $ per million in / out · can`,
    note,
    palette,
  };
  const end = await pick({ items, frame, takesText: true }, streams);
  return end.kind === "chosen" ? { model: end.key } : end.kind;
};

const labelOf = (place: Place): string => {
  switch (place.kind) {
    case "provider":
      return place.choice.label;
    case "server":
      return LOCAL_SERVER_LABELS[place.server.server];
    case "endpoint":
      return place.target.baseUrl;
  }
};

const windowColumn = ({ contextWindow, contextWindowFrom, largestWindow }: ModelRow): string => {
  if (contextWindowFrom !== "endpoint" && largestWindow !== undefined) return `up to ${windowText(largestWindow)}`;
  return contextWindowFrom === "assumed" ? "?" : windowText(contextWindow);
};

const rowsOf = async (
  context: ModelContext,
  place: Place,
): Promise<{ readonly rows: readonly ModelRow[]; readonly note?: string }> => {
  const { app, models, output, signal } = context;
  if (place.kind === "server") {
    return { rows: place.server.models.map((model) => rowOf(models, unnamedServer(), model)) };
  }
  const choice = place.kind === "endpoint" ? { ...unnamedServer(), target: place.target } : place.choice;
  const known = knownModels(app, models, choice);
  if (choice.missing !== undefined) return { rows: known, note: reasonText(choice.missing) };
  output.stderr(`Asking ${cleanText(labelOf(place))} for its models …\n`);
  using deadline = app.clock.deadline(ASK_MS);
  try {
    const asked = await askedModels(models, choice, AbortSignal.any([signal, deadline.signal]));
    if (asked.kind === "rows" && asked.rows.length > 0) return { rows: asked.rows };
    return asked.kind === "failed"
      ? { rows: known, note: cleanText(`Its own list could not be had: ${asked.error.message}`) }
      : { rows: known };
  } catch (thrown) {
    if (signal.aborted || !deadline.signal.aborted) throw thrown;
    return { rows: known, note: "Its own list takes long; this is what the catalogue knows." };
  }
};

const take = async (context: ModelContext, place: Place, model: string): Promise<ExitCode> => {
  if (place.kind === "provider") return await modelSet(context, { name: model, provider: place.choice.id });
  const { app, output } = context;
  const target = { home: app.home, clock: app.clock };
  const { baseUrl } = place.kind === "server" ? place.server : place.target;
  // The address is replaced where it stands, so that its comments stay.
  await forgetPlace(app, { keepsAddress: true });
  await setKey(target, "model.base_url", baseUrl);
  await setKey(target, "model.default", model);
  await setKey(target, "model.provider", "custom");
  output.stdout(`${cleanText(model)} at ${cleanText(baseUrl)} answers from now on.\n`);
  return 0;
};
