import type { Clock } from "../../../base/clock.ts";
import { trusting, type HttpClient } from "../../http.ts";
import type { NewLogin } from "../vault/add-credential.ts";
import { signInByBrowser, type BrowserReturn } from "./browser-flow.ts";
import { checkCaBundle } from "./check-ca-bundle.ts";
import { completeLogin, type ObtainedTokens } from "./complete-login.ts";
import { signInByDevice } from "./device-flow.ts";
import { signInErrors } from "./errors.ts";
import { settleRequest, type SettledRequest, type SignInRequest } from "./settle-request.ts";
import type { SignInPerson } from "./sign-in-person.ts";
import type { SignInOverride, SignInProvider } from "./sign-in-provider.ts";

/** What a sign-in is carried out with. */
export interface SignInDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly person: SignInPerson;
  /** Masks what an endpoint said. */
  readonly redact: (text: string) => string;
  /** The project of Google's that the owner names (`GOOGLE_CLOUD_PROJECT`). */
  readonly googleProject?: string | undefined;
  /** Replaces facts of the provider: addresses, the client. */
  readonly override?: SignInOverride | undefined;
}

/**
 * Signs the owner in to a provider and gives the login, which is yet to be kept (`addLogin`). Leaves nothing behind however it ends: no
 * listening port, no file, no request on its way. Throws the signal's reason, and the errors of `settleRequest`, the two flows and
 * `completeLogin`.
 */
export const signIn = async (deps: SignInDeps, request: SignInRequest, signal: AbortSignal): Promise<NewLogin> => {
  const settled = settleRequest(request, deps.override);
  const { row, trust, timeoutMs, baseUrl, members } = settled;
  if (trust.caFile !== undefined) await checkCaBundle(trust.caFile);
  signal.throwIfAborted();
  const { clock, redact, googleProject } = deps;
  const ask = { http: trusting(deps.http, trust), clock, redact, timeoutMs, label: row.label, row, googleProject };
  const tokens = await obtainTokens({ ...ask, person: personFor(deps.person, request) }, { request, settled }, signal);
  const login = await completeLogin(ask, tokens, signal);
  signal.throwIfAborted();
  return {
    ...login,
    label: request.label,
    baseUrl: baseUrl ?? login.baseUrl,
    more: { ...login.more, ...members },
  };
};

type FlowDeps = Parameters<typeof signInByDevice>[0];

/**
 * Which way: the browser where one can be started here, a code where not. A provider that has only one of them is signed in to by
 * that one; what a browser on another machine shows is then pasted.
 */
const obtainTokens = async (
  deps: FlowDeps,
  { request, settled }: { readonly request: SignInRequest; readonly settled: SettledRequest },
  signal: AbortSignal,
): Promise<ObtainedTokens> => {
  const { browser, device } = settled.row;
  const isHere = deps.person.openBrowser !== undefined;
  if (device !== undefined && request.manualPaste !== true && (browser === undefined || !isHere)) {
    return { body: await signInByDevice(deps, signal) };
  }
  if (browser === undefined)
    throw signInErrors.refusedOption({ option: "--manual-paste", why: "there is nothing to paste" });
  const returns = returnOf(settled.row, { isHere, manualPaste: request.manualPaste === true });
  return await signInByBrowser({ ...deps, browser, returns }, signal);
};

/** Without a browser here the answer is pasted where the provider shows it; else it may still come, through a tunnel for one. */
const returnOf = (
  { endpoints }: SignInProvider,
  { isHere, manualPaste }: { readonly isHere: boolean; readonly manualPaste: boolean },
): BrowserReturn => {
  if (manualPaste) return "pasted";
  return isHere || endpoints.codePage === undefined ? "here" : "pasted";
};

const personFor = (person: SignInPerson, { noBrowser }: SignInRequest): SignInPerson => {
  if (noBrowser !== true) return person;
  const { openBrowser: _, ...others } = person;
  return others;
};
