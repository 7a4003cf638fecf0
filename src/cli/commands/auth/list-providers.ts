import type { ExitCode } from "../../../base/app-error.ts";
import { SIGN_IN_ROWS } from "../../../llm/auth/sign-in/sign-in-rows.ts";
import { findProviderEntry, poolOfEntry } from "../../../llm/providers/provider-entry.ts";
import type { ProviderRow } from "../../../llm/providers/provider-row.ts";
import { PRACTICE } from "../../../llm/practice/practice-id.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { renderTable } from "../../table.ts";
import type { AuthContext } from "./context.ts";

/** How a provider knows its callers; `program` = by one of its own, which this version cannot start. */
type Way = "key" | "login" | "aws" | "program" | "nothing";

/** A provider as `hermes auth list --all` names it. */
interface ListedProvider {
  readonly id: string;
  readonly label: string;
  readonly ways: readonly Way[];
  /** Variables that may hold its key. */
  readonly variables: readonly string[];
  /** Whether there is a key or login that the next call could take. */
  readonly isConnected: boolean;
}

/** `hermes auth list --all`: every id that can be written, and how it is connected; the owner's own endpoints come first. */
export const listProviders = ({
  app,
  output,
  isJson,
  pool,
  problem,
}: Pick<AuthContext, "app" | "output" | "isJson" | "pool" | "problem">): ExitCode => {
  const settings = app.config.sectionOrDefaults("providers");
  const own = Object.entries(settings)
    .filter(([id]) => !app.providerRows.some((row) => row.id === id.toLowerCase()))
    .map(([id, { name, key_env: variable }]) => ({
      id,
      label: name ?? id,
      ways: ["key" as const],
      variables: variable === undefined ? [] : [variable],
      isConnected: pool.peek(poolOfEntry(id)) !== undefined,
    }));
  const builtIn = app.providerRows.map((row) => {
    const variable = findProviderEntry(settings, row.id)?.settings.key_env;
    return {
      id: row.id,
      label: row.label,
      ways: waysOf(row),
      variables: variable === undefined ? row.keyEnv : [variable],
      isConnected: pool.peek(row.id) !== undefined,
    };
  });
  const practice = {
    id: PRACTICE,
    label: "Practice model (rules, not a real model)",
    ways: ["nothing" as const],
    variables: [],
    isConnected: false,
  };
  const listed: readonly ListedProvider[] = [...own, ...builtIn, practice];
  if (isJson) output.stdout(`${JSON.stringify(listed.map(providerJson), undefined, 2)}\n`);
  else {
    const width = output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY;
    output.stdout(renderTable(HEADINGS, listed.map(providerCells), width));
    if (output.isTerminal.stdout) {
      output.stdout("\nhermes auth add PROVIDER takes a key or signs in, hermes model chooses the model.\n");
    }
  }
  // Ids are for whoever looks for them, whatever the file of credentials is like; what it holds is not known then.
  const broken = problem();
  if (broken !== undefined)
    output.stderr(`Keys and logins of this home are not counted: ${cleanText(broken.message)}\n`);
  return 0;
};

const HEADINGS = ["PROVIDER", "NAME", "CONNECTED BY", "NOW"].map((heading) => ({ heading }));

const waysOf = ({ id, auth, keyEnv }: ProviderRow): readonly Way[] => {
  if (auth === "external_process") return ["program"];
  if (auth === "none") return ["nothing"];
  const login = SIGN_IN_ROWS.some((row) => row.id === id) || auth === "oauth";
  return [
    ...(auth === "aws" ? (["aws"] as const) : []),
    ...(keyEnv.length > 0 ? (["key"] as const) : []),
    ...(login ? (["login"] as const) : []),
  ];
};

const providerCells = (provider: ListedProvider): readonly string[] => [
  cleanText(provider.id),
  cleanText(provider.label),
  provider.ways.map((way) => wayWords(way, provider)).join(" or "),
  provider.isConnected ? "connected" : "",
];

const wayWords = (way: Way, { variables: [variable] }: ListedProvider): string => {
  switch (way) {
    case "key":
      return variable === undefined ? "a key" : `a key (${cleanText(variable)})`;
    case "login":
      return "a login";
    case "aws":
      return "what AWS's own tools hold";
    case "program":
      return "a program of its own, which this version cannot start";
    case "nothing":
      return "no key needed";
  }
};

const providerJson = ({ id, label, ways, variables, isConnected }: ListedProvider): object => ({
  id,
  label,
  connected_by: ways,
  variables,
  connected: isConnected,
});
