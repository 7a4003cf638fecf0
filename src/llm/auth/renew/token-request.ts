import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/app-error.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { readBeginning } from "../../bounded-body.ts";
import type { HttpClient } from "../../http.ts";
import { networkError } from "../../network-error.ts";
import { asRecord } from "../../wires/json-fields.ts";
import { isLostCode } from "../vault/entry-status.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import type { LoginProvider } from "./login-providers.ts";
import { refusalCode, refusalText } from "./refusal.ts";

/** What requests to token endpoints are made with. */
export interface TokenDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
}

/** What a token endpoint answered. */
export type TokenAnswer =
  | { readonly kind: "tokens"; readonly body: JsonObject }
  /** The login is gone for good. */
  | { readonly kind: "lost"; readonly code: string; readonly why: string; readonly status: number }
  /** Nothing is known about the login: the network, the server or something between failed. */
  | { readonly kind: "try_later"; readonly why: string; readonly status?: number };

/** A request to a token endpoint. */
export interface TokenRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * How long an answer is waited for. Longer than a person likes: to give up means not to know whether a token that works once
 * was spent.
 */
const ANSWER_MS = 30_000;
const MAX_BODY_BYTES = 256 * 1024;

/**
 * Sends a request to a token endpoint and reads what it says. Never throws. Takes no signal of a caller's on purpose: a refresh
 * that was sent must be heard out, or the new pair is lost with the answer.
 */
export const askTokenEndpoint = async (
  { http, clock }: TokenDeps,
  request: TokenRequest,
  row: Pick<LoginProvider, "lostStatuses">,
): Promise<TokenAnswer> => {
  using deadline = clock.deadline(ANSWER_MS);
  const { method, url, body } = request;
  const headers = { accept: "application/json", ...request.headers };
  try {
    const answer =
      method === "GET"
        ? await http.get({ url, headers }, deadline.signal)
        : await http.post({ url, headers, body: body ?? "" }, deadline.signal);
    const text = await readBeginning(answer.body, MAX_BODY_BYTES);
    return classify({ status: answer.status, text, url }, row);
  } catch (thrown) {
    const host = URL.canParse(url) ? new URL(url).host : "the sign-in server";
    if (deadline.signal.aborted) return { kind: "try_later", why: `${host} did not answer in ${ANSWER_MS / 1000} s` };
    const { kind, message } = networkError(thrown, url);
    return { kind: "try_later", why: kind === "network" ? message : messageOf(thrown) };
  }
};

const classify = (
  answer: { readonly status: number; readonly text: string; readonly url: string },
  { lostStatuses = [] }: Pick<LoginProvider, "lostStatuses">,
): TokenAnswer => {
  const { status } = answer;
  const body = asRecord(parseJson(answer.text));
  const isFine = status >= 200 && status < 300;
  if (isFine && body !== undefined && body["error"] === undefined && body["status"] !== "error") {
    return { kind: "tokens", body };
  }
  const code = refusalCode(body ?? {});
  const words = refusalText(body ?? {});
  const said = [code, words].filter((part) => part !== undefined).join(": ");
  const { host } = new URL(answer.url);
  // A page of a proxy's with status 403 says nothing about the login; a code in JSON does.
  const isLost = code !== undefined && isLostCode(code);
  if (isLost || (body !== undefined && lostStatuses.includes(status))) {
    return { kind: "lost", code: code ?? "invalid_grant", why: said || `status ${status}`, status };
  }
  const what = said === "" ? "" : ` (${said})`;
  return { kind: "try_later", why: `${host} answered with status ${status}${what}`, status };
};

/** The request that renews a login. */
export const refreshRequest = (
  row: LoginProvider,
  refreshToken: string,
  tokenUrl = row.endpoints.token,
): TokenRequest => {
  const request = postRequest(tokenUrl, row.encoding, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: row.clientId,
    client_secret: row.clientSecret,
  });
  const header = row.refreshHeader === undefined ? {} : { [row.refreshHeader]: refreshToken };
  return { ...request, headers: { ...request.headers, ...header } };
};

/** A POST with members as a form or as JSON; those that are undefined are left out. */
export const postRequest = (
  url: string,
  encoding: LoginProvider["encoding"],
  members: Readonly<Record<string, string | undefined>>,
): TokenRequest => {
  const given = Object.fromEntries(
    Object.entries(members).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const isForm = encoding === "form";
  return {
    method: "POST",
    url,
    headers: { "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json" },
    body: isForm ? new URLSearchParams(given).toString() : JSON.stringify(given),
  };
};
