import { keyCredential } from "../../credential.ts";
import type { LiveCredential, SyncSource } from "./live-credential.ts";

/** Keys that a provider's variables may hold for other uses of theirs: Copilot does not take GitHub's classic tokens. */
const USELESS: Readonly<Record<string, RegExp>> = { copilot: /^ghp_/ };

/** A token of a login in a variable; it can't be renewed. */
const LOGIN_TOKEN = /^sk-ant-oat/;

/** `env:<VAR>`: the variables of the provider's row in their order, or the one that its entry names. */
export const environmentKeys: SyncSource = ({ pool, row, entry }, { variable }) => {
  const named = entry?.settings.key_env;
  const names = named === undefined ? (row?.keyEnv ?? []) : [named];
  return names.flatMap((name): LiveCredential[] => {
    const value = variable(name)?.trim() ?? "";
    if (value === "" || USELESS[pool]?.test(value) === true) return [];
    const authType = LOGIN_TOKEN.test(value) ? "oauth" : "api_key";
    return [{ source: `env:${name}`, label: name, authType, secret: keyCredential(value) }];
  });
};

/** `config:<id>`: `providers.<id>.api_key`. */
export const configuredKey: SyncSource = ({ entry }) => {
  const value = entry?.settings.api_key?.trim() ?? "";
  if (entry === undefined || value === "") return [];
  return [
    { source: `config:${entry.id}`, label: `providers.${entry.id}`, authType: "api_key", secret: keyCredential(value) },
  ];
};
