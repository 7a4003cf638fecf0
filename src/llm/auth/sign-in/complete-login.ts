import { asRecord, asText } from "../../wires/json-fields.ts";
import { exchangeCopilotToken } from "../renew/copilot-token.ts";
import { mintAgentKey } from "../renew/nous-key.ts";
import { expiryOfAnswer } from "../renew/token-answer.ts";
import { qwenAddress } from "../sources/login-files.ts";
import type { NewLogin } from "../vault/add-credential.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { tokenClaims, tokenExpiry, tokenOwner } from "../vault/token-time.ts";
import { usableToken } from "../vault/usable-token.ts";
import { askEndpoint, type AskDeps } from "./ask-endpoint.ts";
import { findCodeAssistProject, type CodeAssistDeps } from "./code-assist.ts";
import { signInErrors } from "./errors.ts";
import { inTime } from "./in-time.ts";
import { isSameSecret } from "./pkce.ts";
import { plainWords } from "../renew/plain-words.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** What a sign-in gave, before it is a login. */
export interface ObtainedTokens {
  /** The token endpoint's answer. */
  readonly body: JsonObject;
  readonly redirectUri?: string | undefined;
  readonly nonce?: string | undefined;
}

/**
 * Makes a login of a token endpoint's answer: checks it, asks who has signed in, and for what the calls need besides. Throws the
 * signal's reason, `sign_in.strange_answer`, `sign_in.not_eligible`, `sign_in.needs_project`, and what `askEndpoint` throws.
 */
export const completeLogin = async (
  deps: CodeAssistDeps,
  { body, redirectUri, nonce }: ObtainedTokens,
  signal: AbortSignal,
): Promise<NewLogin> => {
  const { row, clock, label } = deps;
  const accessToken = checkedToken(label, body);
  checkNonce(label, body, nonce);
  const now = clock.now();
  const account = accountOf(body) ?? (await askAccount(deps, accessToken, signal));
  const own = await ownMembers(deps, accessToken, signal);
  return {
    provider: row.id,
    flow: row.flow,
    accessToken,
    refreshToken: asText(body["refresh_token"]),
    expiresAt: expiryOfAnswer(row, body, now) ?? tokenExpiry(accessToken),
    account,
    subject: subjectOf(body),
    baseUrl: addressOf(row, body),
    more: { ...keptMembers(row, body), ...discoveryMembers(row, redirectUri), ...own },
  };
};

const checkedToken = (label: string, body: JsonObject): string => {
  const token = usableToken(body["access_token"]);
  if (token === undefined) throw strange(label, "there is no token in it");
  const refreshToken = body["refresh_token"] ?? undefined;
  if (refreshToken !== undefined && usableToken(refreshToken) === undefined) {
    throw strange(label, "its refresh token is none");
  }
  // RFC 6749, 7.1: a token of a type that is not understood must not be used.
  const type = body["token_type"] ?? "bearer";
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") throw strange(label, "its token is of another type");
  return token;
};

const strange = (label: string, what: string): Error => signInErrors.strangeAnswer({ label, what });

const checkNonce = (label: string, body: JsonObject, nonce: string | undefined): void => {
  const claims = tokenClaims(asText(body["id_token"]));
  if (nonce === undefined || claims === undefined) return;
  const given = asText(claims["nonce"]);
  if (given === undefined || !isSameSecret(given, nonce)) throw strange(label, "it belongs to another sign-in");
};

/** Whose login it is, as its tokens say: a mail address. */
const accountOf = (body: JsonObject): string | undefined => {
  const named = asText(asRecord(body["account"])?.["email_address"]);
  const owner = named ?? tokenOwner(asText(body["id_token"])) ?? tokenOwner(asText(body["access_token"]));
  return owner === undefined ? undefined : plainWords(owner) || undefined;
};

/** Asks whose login it is. Only its name hangs on that, so a refusal does not end the sign-in. */
const askAccount = async (deps: CodeAssistDeps, token: string, signal: AbortSignal): Promise<string | undefined> => {
  const url = deps.row.endpoints.account;
  if (url === undefined) return undefined;
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { isFine, body } = await askEndpoint(deps, { method: "GET", url, headers }, signal);
    const name = asText(body["email"]) ?? asText(body["login"]);
    return isFine && name !== undefined ? plainWords(name) || undefined : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined; // the login gets a name of its own
  }
};

/** What tells one account from another even where both have one mail address: person and organization, by their ids. */
const subjectOf = (body: JsonObject): string | undefined => {
  const claims = tokenClaims(asText(body["id_token"])) ?? tokenClaims(asText(body["access_token"]));
  const person = asText(asRecord(body["account"])?.["uuid"]) ?? asText(claims?.["sub"]);
  if (person === undefined) return undefined;
  const organization =
    asText(asRecord(body["organization"])?.["uuid"]) ??
    asText(asRecord(claims?.["https://api.openai.com/auth"])?.["chatgpt_account_id"]);
  return organization === undefined ? person : `${person}/${organization}`;
};

/** The address that an answer gives for the login's calls, if a token may go there. */
const addressOf = (row: SignInProvider, body: JsonObject): string | undefined => {
  const given = row.addressMember === undefined ? undefined : body[row.addressMember];
  const address = row.id === "qwen-oauth" ? qwenAddress({ resource_url: given }) : asText(given);
  return address !== undefined && isSafeAddress(address) ? address : undefined;
};

const keptMembers = (row: SignInProvider, body: JsonObject): JsonObject =>
  Object.fromEntries(
    (row.keeps ?? []).flatMap((name) => (name in body && name !== row.addressMember ? [[name, body[name]]] : [])),
  );

const discoveryMembers = ({ keepsDiscovery, endpoints }: SignInProvider, redirectUri: string | undefined): JsonObject =>
  keepsDiscovery === true
    ? {
        redirect_uri: redirectUri,
        discovery: { authorization_endpoint: endpoints.authorize, token_endpoint: endpoints.token },
      }
    : {};

/** What this provider's logins need besides their tokens. */
const ownMembers = async (deps: CodeAssistDeps, accessToken: string, signal: AbortSignal): Promise<JsonObject> => {
  const { after } = deps.row;
  if (after === undefined) return {};
  switch (after) {
    case "agent_key":
      return await agentKeyMembers(deps, accessToken, signal);
    case "code_assist":
      return { project_id: await findCodeAssistProject(deps, accessToken, signal) };
    case "copilot_token":
      return await checkCopilot(deps, accessToken, signal);
  }
};

/** The key that the first call uses. Where it cannot be made for now, the login is kept, and the first call makes it. */
const agentKeyMembers = async (deps: CodeAssistDeps, accessToken: string, signal: AbortSignal): Promise<JsonObject> => {
  const { row, label } = deps;
  const minted = await inTime(deps, () => mintAgentKey(deps, row, { accessToken }), signal);
  if (minted?.kind === "refused") throw notEligible(deps, label, minted.why);
  if (minted?.kind !== "members") return NO_AGENT_KEY;
  const address = asText(minted.members["inference_base_url"]);
  if (address !== undefined && !isSafeAddress(address)) throw strange(label, "the address of its models is not safe");
  return minted.members;
};

/** Takes the key of the login before away. */
const NO_AGENT_KEY: JsonObject = { agent_key: undefined, agent_key_expires_at: undefined };

/** Whether the account has Copilot at all. The exchanged token is not kept: each process gets its own. */
const checkCopilot = async (deps: CodeAssistDeps, accessToken: string, signal: AbortSignal): Promise<JsonObject> => {
  const exchanged = await inTime(deps, () => exchangeCopilotToken(deps, deps.row, accessToken), signal);
  if (exchanged?.kind === "refused") throw notEligible(deps, deps.label, exchanged.why);
  return {};
};

const notEligible = ({ redact }: AskDeps, label: string, why: string): Error =>
  signInErrors.notEligible({ label, said: plainWords(redact(why)) });
