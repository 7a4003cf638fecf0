import { AppError } from "../../../base/app-error.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { askEndpoint, refusalWords, type AskDeps, type EndpointAnswer } from "./ask-endpoint.ts";
import { deviceFormOf } from "./device-form.ts";
import type { DeviceAsking, DeviceGrant, DevicePoll } from "./device-grant.ts";
import { signInErrors } from "./errors.ts";
import { exchangeCode } from "./exchange-code.ts";
import { createPkce, createState } from "./pkce.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import type { SignInPerson } from "./sign-in-person.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

const LEAST_INTERVAL_MS = 1000;
const LONGEST_INTERVAL_MS = 60_000;
/** RFC 8628, 3.5. */
const SLOWER_BY_MS = 5000;
/** No vendor's code lives longer; what asks for more is a slip. */
const LONGEST_LIFETIME_MS = 3_600_000;

const USER_CODE = /^[\x21-\x7e]{1,64}$/;

/**
 * Signs in by a code that the person enters elsewhere, on this machine or another one (RFC 8628). Gives the token endpoint's
 * answer. Throws the signal's reason, `sign_in.denied`, `sign_in.expired`, `sign_in.failed`, `sign_in.strange_answer`, and what
 * `askEndpoint` throws.
 */
export const signInByDevice = async (
  deps: AskDeps & { readonly row: SignInProvider; readonly person: SignInPerson },
  signal: AbortSignal,
): Promise<JsonObject> => {
  const { row, person, clock } = deps;
  const asking: DeviceAsking = { row, pkce: createPkce(), state: createState(), now: clock.now() };
  const grant = await askGrant(deps, asking, signal);
  const url = grant.filledPage ?? grant.page;
  const opened = person.openBrowser?.(url) ?? false;
  person.tell({
    kind: "enter_code",
    code: grant.userCode,
    url: opened ? url : grant.page,
    opened,
    lifetimeMs: grant.lifetimeMs,
  });
  const poll = await waitForConsent(deps, { asking, grant }, signal);
  person.tell({ kind: "agreed" });
  if (poll.kind === "tokens") return poll.body;
  const { code, verifier } = poll;
  const redirectUri = row.endpoints.deviceReturn ?? "";
  return await exchangeCode(deps, { row, code, verifier, redirectUri }, signal);
};

const askGrant = async (deps: AskDeps, asking: DeviceAsking, signal: AbortSignal): Promise<DeviceGrant> => {
  const { label } = deps;
  const form = deviceFormOf(asking.row);
  const answer = await askEndpoint(deps, form.ask(asking), signal);
  if (!answer.isFine || answer.body["error"] !== undefined) {
    throw signInErrors.failed({ label, said: refusalWords(deps, answer, [asking.pkce.verifier]) });
  }
  const grant = form.readGrant(answer, asking);
  if (grant === undefined || !USER_CODE.test(grant.userCode)) {
    throw signInErrors.strangeAnswer({ label, what: "there is no code in it" });
  }
  for (const address of [grant.page, ...(grant.filledPage === undefined ? [] : [grant.filledPage])]) {
    if (!isSafeAddress(address)) throw signInErrors.strangeAnswer({ label, what: "its page is not safe to open" });
  }
  return {
    ...grant,
    // As it is parsed: no control characters, no blanks.
    page: new URL(grant.page).href,
    filledPage: grant.filledPage === undefined ? undefined : new URL(grant.filledPage).href,
    intervalMs: Math.min(Math.max(grant.intervalMs, LEAST_INTERVAL_MS), LONGEST_INTERVAL_MS),
    lifetimeMs: Math.min(Math.max(grant.lifetimeMs, 0), LONGEST_LIFETIME_MS),
  };
};

type Agreed = Extract<DevicePoll, { kind: "tokens" | "code" }>;

const waitForConsent = async (
  deps: AskDeps,
  { asking, grant }: { readonly asking: DeviceAsking; readonly grant: DeviceGrant },
  signal: AbortSignal,
): Promise<Agreed> => {
  const { clock, label } = deps;
  const form = deviceFormOf(asking.row);
  const end = clock.monotonic() + grant.lifetimeMs;
  const secrets = [grant.handle, asking.pkce.verifier];
  for (let intervalMs = grant.intervalMs; ; intervalMs = Math.min(intervalMs, LONGEST_INTERVAL_MS)) {
    if (clock.monotonic() + intervalMs > end) {
      await clock.sleep(Math.max(0, end - clock.monotonic()), signal);
      throw signInErrors.expired({ label });
    }
    await clock.sleep(intervalMs, signal);
    const answer = await pollOnce(deps, form.poll(asking, grant), signal);
    const poll: DevicePoll = answer === undefined ? { kind: "try_again" } : form.readPoll(answer);
    switch (poll.kind) {
      case "tokens":
      case "code":
        return poll;
      case "pending":
        break;
      case "slow_down":
        intervalMs += SLOWER_BY_MS;
        break;
      case "try_again":
        intervalMs *= 2;
        break;
      case "expired":
        throw signInErrors.expired({ label });
      case "denied":
        throw signInErrors.denied({ label, said: wordsOf(deps, answer, secrets) });
      case "failed":
        throw signInErrors.failed({ label, said: wordsOf(deps, answer, secrets) });
    }
  }
};

const wordsOf = (deps: AskDeps, answer: EndpointAnswer | undefined, secrets: readonly string[]): string =>
  answer === undefined ? "there was no answer" : refusalWords(deps, answer, secrets);

/** A network that fails for a moment does not end the waiting (RFC 8628, 3.5); undefined = it did. */
const pollOnce = async (
  deps: AskDeps,
  request: Parameters<typeof askEndpoint>[1],
  signal: AbortSignal,
): Promise<EndpointAnswer | undefined> => {
  try {
    return await askEndpoint(deps, request, signal);
  } catch (thrown) {
    const isPassingFailure = thrown instanceof AppError && PASSING.has(thrown.code);
    if (isPassingFailure) return undefined;
    throw thrown;
  }
};

const PASSING: ReadonlySet<string> = new Set(["sign_in.unreachable", "sign_in.slow"]);
