import { untilAborted } from "../../../base/until-aborted.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import type { AskDeps } from "./ask-endpoint.ts";
import { readPasted, type CallbackAnswer } from "./callback-answer.ts";
import { openCallbackServer, type CallbackServer } from "./callback-server.ts";
import { signInErrors } from "./errors.ts";
import { exchangeCode } from "./exchange-code.ts";
import { createPkce, createState, type Pkce } from "./pkce.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import type { SignInPerson } from "./sign-in-person.ts";
import type { SignInProvider } from "./sign-in-provider.ts";
import type { BrowserSignIn } from "./sign-in-row.ts";

/** How the answer comes back: to this machine, or by a person who pastes it. */
export type BrowserReturn = "here" | "pasted";

/** What a sign-in in the browser gave. */
export interface BrowserTokens {
  readonly body: JsonObject;
  readonly redirectUri: string;
  readonly nonce: string | undefined;
}

/** A person has this long to agree. */
const LONGEST_WAIT_MS = 900_000;

/**
 * Signs in in the browser: authorization code with PKCE (RFC 7636, RFC 8252). What is pasted counts also while the answer is waited
 * for on this machine. Throws the signal's reason, `sign_in.denied`, `sign_in.expired`, `sign_in.needs_terminal`, and what
 * `openCallbackServer` and `exchangeCode` throw.
 */
export const signInByBrowser = async (
  deps: AskDeps & {
    readonly row: SignInProvider;
    readonly browser: BrowserSignIn;
    readonly person: SignInPerson;
    readonly returns: BrowserReturn;
  },
  signal: AbortSignal,
): Promise<BrowserTokens> => {
  const { row, browser, person, returns, label } = deps;
  if (returns === "pasted" && person.paste === undefined) throw signInErrors.needsTerminal({ label });
  const pkce = createPkce();
  const state = createState();
  const nonce = browser.hasNonce === true ? createState() : undefined;
  await using server = returns === "here" ? await openCallbackServer({ label, browser, state }) : undefined;
  const redirectUri = server?.redirectUri ?? pasteAddress(row, browser);
  const url = authorizeAddress({ row, browser, pkce, state, nonce, redirectUri });
  const opened = person.openBrowser?.(url) ?? false;
  person.tell({ kind: "open_address", url, opened, waitsHere: server !== undefined });
  const answer = await waitForAnswer(deps, { server, state }, signal);
  if (answer.kind === "refused") throw signInErrors.denied({ label, said: deps.redact(answer.said) });
  await server?.[Symbol.asyncDispose]();
  person.tell({ kind: "agreed" });
  const { verifier } = pkce;
  const body = await exchangeCode(deps, { row, code: answer.code, verifier, redirectUri, state }, signal);
  return { body, redirectUri, nonce };
};

/** Where the provider shows the code; else the address that the browser cannot open, and that holds the code. */
const pasteAddress = ({ endpoints }: SignInProvider, { redirect }: BrowserSignIn): string => {
  const port = redirect.port === 0 ? UNUSED_PORT : redirect.port;
  return endpoints.codePage ?? `http://${redirect.host}:${port}${redirect.path}`;
};

/** Nothing listens there as a rule: the page fails to open, and its address is what is pasted. */
const UNUSED_PORT = 1;

const authorizeAddress = (parts: {
  readonly row: SignInProvider;
  readonly browser: BrowserSignIn;
  readonly pkce: Pkce;
  readonly state: string;
  readonly nonce: string | undefined;
  readonly redirectUri: string;
}): string => {
  const { row, browser, pkce, state, nonce, redirectUri } = parts;
  const address = row.endpoints.authorize ?? row.endpoints.token;
  if (!isSafeAddress(address)) {
    throw signInErrors.unsafeAddress({ address: URL.parse(address)?.host ?? "that address" });
  }
  const url = new URL(address);
  const parameters = {
    ...browser.parameters,
    response_type: "code",
    client_id: row.clientId,
    redirect_uri: redirectUri,
    scope: browser.scope,
    code_challenge: pkce.challenge,
    code_challenge_method: "S256",
    state,
    ...(nonce === undefined ? {} : { nonce }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

type Answered = Exclude<CallbackAnswer, { kind: "unusable" }>;

const waitForAnswer = async (
  deps: AskDeps & { readonly person: SignInPerson },
  { server, state }: { readonly server: CallbackServer | undefined; readonly state: string },
  signal: AbortSignal,
): Promise<Answered> => {
  using deadline = deps.clock.deadline(LONGEST_WAIT_MS);
  const finished = new AbortController();
  const ended = AbortSignal.any([signal, deadline.signal]);
  const stop = AbortSignal.any([ended, finished.signal]);
  try {
    const answered = [
      ...(server === undefined ? [] : [server.answered]),
      takePasted(deps, { state, hasServer: server !== undefined }, stop),
    ];
    return await untilAborted(Promise.race(answered), ended);
  } catch (thrown) {
    signal.throwIfAborted();
    if (deadline.signal.aborted) throw signInErrors.expired({ label: deps.label });
    throw thrown;
  } finally {
    finished.abort();
  }
};

/** Takes lines until one is an answer. Where the browser's answer is waited for too, the end of the input ends nothing. */
const takePasted = async (
  { person, label }: AskDeps & { readonly person: SignInPerson },
  { state, hasServer }: { readonly state: string; readonly hasServer: boolean },
  signal: AbortSignal,
): Promise<Answered> => {
  const { promise: never } = Promise.withResolvers<never>();
  if (person.paste === undefined) return await never;
  for (;;) {
    const text = await person.paste(signal);
    if (text === undefined) {
      if (hasServer) return await never;
      throw signInErrors.denied({ label, said: "no code was pasted" });
    }
    const answer = readPasted(text, state);
    if (answer.kind !== "unusable") return answer;
    if (text.trim() !== "" || !hasServer) person.tell({ kind: "unusable_paste", why: answer.why });
  }
};
