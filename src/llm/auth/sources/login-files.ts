import { join } from "node:path";
import { keyCredential } from "../../credential.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { momentOf } from "../vault/token-time.ts";
import type { SyncSource } from "./live-credential.ts";

/** `claude_code`: the login of Claude Code, which renews it itself. */
export const claudeCodeLogin: SyncSource = ({ pool }, { json, userDirectory }) => {
  if (pool !== "anthropic") return [];
  const login = asRecord(json.read(join(userDirectory, ".claude", ".credentials.json"))?.["claudeAiOauth"]);
  const token = asText(login?.["accessToken"]);
  if (token === undefined) return [];
  const expiresAt = momentOf(login?.["expiresAt"]);
  return [{ source: "claude_code", label: "claude_code", authType: "oauth", secret: keyCredential(token), expiresAt }];
};

/** Where the Qwen command line keeps its login. */
export const qwenFilePath = (userDirectory: string): string => join(userDirectory, ".qwen", "oauth_creds.json");

/** `qwen-cli`: the login of the Qwen command line. */
export const qwenLogin: SyncSource = ({ pool }, { json, userDirectory }) => {
  if (pool !== "qwen-oauth") return [];
  const login = json.read(qwenFilePath(userDirectory));
  const token = asText(login?.["access_token"]);
  if (token === undefined) return [];
  const expiresAt = momentOf(login?.["expiry_date"]);
  const baseUrl = qwenAddress(login);
  return [
    { source: "qwen-cli", label: "qwen-cli", authType: "oauth", secret: keyCredential(token), expiresAt, baseUrl },
  ];
};

/** The address that Qwen gives with a login, a bare host in most cases. */
export const qwenAddress = (login: JsonObject | undefined): string | undefined => {
  const given = asText(login?.["resource_url"])?.trim().replace(/\/+$/, "");
  if (given === undefined || given === "") return undefined;
  const address = /^https?:\/\//.test(given) ? given : `https://${given}`;
  if (!URL.canParse(address)) return undefined;
  return address.endsWith("/v1") ? address : `${address}/v1`;
};

const KEY = { kind: "key" } as const;

/** `google_oauth`: the login of Google's code assistant, in a file of this home (compat 3.1). */
export const googleLogin: SyncSource = ({ pool }, { json, googleFile }) => {
  if (pool !== "google-gemini-cli") return [];
  const login = json.read(googleFile);
  const token = asText(login?.["access"]);
  if (token === undefined) return [];
  const expiresAt = momentOf(login?.["expires"]);
  const [, ...projects] = asText(login?.["refresh"])?.split("|") ?? [];
  const project = projects.find((id) => id !== "");
  const label = asText(login?.["email"]) ?? "google_oauth";
  const secret = { ...KEY, value: token, ...(project === undefined ? {} : { project }) };
  return [{ source: "google_oauth", label, authType: "oauth", secret, expiresAt }];
};
