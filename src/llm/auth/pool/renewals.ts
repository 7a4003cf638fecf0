import { untilAborted } from "../../../base/until-aborted.ts";
import { keyCredential, keyValueOf } from "../../credential.ts";
import { exchangeCopilotToken } from "../renew/copilot-token.ts";
import { wordsWithout } from "../renew/plain-words.ts";
import { findLoginProvider } from "../renew/login-providers.ts";
import { renewLogin, saveRenewed, type RenewDeps, type RenewResult } from "../renew/renew-login.ts";
import type { OwnedCredential } from "../vault/pool-entry.ts";
import { sentToken } from "../vault/sent-token.ts";
import { ownedSecret, secretKey, type Candidate, type CandidateFacts, type HeldToken } from "./candidate.ts";

/** What a renewal came to; after `renewed` the pool shows the new secret. */
export type RenewalOutcome = Exclude<RenewResult, { kind: "renewed" }> | { readonly kind: "renewed" };

/** Renews what candidates are made of, one renewal of a credential at a time in this process. */
export interface Renewals extends AsyncDisposable {
  /** Tokens that are held in memory. */
  readonly held: CandidateFacts["held"];
  /**
   * Renews a candidate; `refused` = its secret was not accepted. The renewal goes on when `signal` ends the waiting, because a spent
   * token must be replaced on disk. Throws the signal's reason.
   */
  renew(pool: string, candidate: Candidate, options: RenewalOptions): Promise<RenewalOutcome>;
}

/** How a renewal is waited for. */
export interface RenewalOptions {
  readonly signal: AbortSignal;
  readonly refused: boolean;
}

/** Makes the renewals of one pool of credentials. Disposing waits for those on their way. */
export const createRenewals = (deps: RenewDeps): Renewals => {
  const tokens = new Map<string, HeldToken>();
  const unsaved = new Map<string, OwnedCredential>();
  const running = new Map<string, Promise<RenewalOutcome>>();

  const held: Renewals["held"] = (pool, base) => {
    const key = tokens.size === 0 ? undefined : secretKey(base);
    return key === undefined ? undefined : tokens.get(`${pool}\0${key}`);
  };

  const hold = (pool: string, { base }: Candidate, token: HeldToken | undefined): void => {
    const key = `${pool}\0${secretKey(base) ?? ""}`;
    if (token === undefined) tokens.delete(key);
    else tokens.set(key, token);
  };

  const exchange = async (pool: string, candidate: Candidate): Promise<RenewalOutcome> => {
    const row = findLoginProvider(pool, deps.overrides);
    const githubToken = keyValueOf(candidate.base);
    if (row === undefined || githubToken === undefined)
      return { kind: "try_later", why: "there is no token to exchange" };
    hold(pool, candidate, undefined);
    const answer = await exchangeCopilotToken(deps, row, githubToken);
    if (answer.kind !== "token") {
      const why = wordsWithout(answer.why, [githubToken], deps.redact);
      return answer.kind === "refused" ? { kind: "lost", code: "refused", why } : { kind: "try_later", why };
    }
    hold(pool, candidate, { ...answer, secret: keyCredential(answer.token) });
    return { kind: "renewed" };
  };

  const renewKept = async (pool: string, candidate: Candidate, refused: boolean): Promise<RenewalOutcome> => {
    const place = `${pool}\0${candidate.id}`;
    const waiting = unsaved.get(place);
    if (waiting !== undefined) {
      // The pair on disk is spent: nothing can be renewed before the newer one is written.
      const saved = await saveRenewed(deps, pool, waiting);
      if (saved.kind !== "renewed") return saved;
      if (saved.unsaved !== undefined) return { kind: "try_later", why: saved.unsaved.why };
      unsaved.delete(place);
      hold(pool, candidate, undefined);
    }
    const value = keyValueOf(candidate.secret);
    const result = await renewLogin(deps, {
      provider: pool,
      id: candidate.id,
      kept: candidate.renewal === "file" ? "file" : "vault",
      ...(refused && value !== undefined ? { refused: value } : {}),
    });
    if (result.kind !== "renewed" || result.unsaved === undefined) return result;
    const { entry } = result.unsaved;
    unsaved.set(place, entry);
    const secret = ownedSecret(pool, entry);
    hold(pool, candidate, { secret, expiresAt: sentToken(pool, entry).expiresAt, baseUrl: entry.baseUrl });
    return { kind: "renewed" };
  };

  const start = (pool: string, candidate: Candidate, refused: boolean): Promise<RenewalOutcome> => {
    const place = `${pool}\0${candidate.id}`;
    const before = running.get(place);
    if (before !== undefined) return before;
    const work = candidate.renewal === "exchange" ? exchange(pool, candidate) : renewKept(pool, candidate, refused);
    const renewal = work.finally(() => running.delete(place));
    running.set(place, renewal);
    return renewal;
  };

  return {
    held,
    renew: (pool, candidate, { signal, refused }) => untilAborted(start(pool, candidate, refused), signal),
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(running.values());
    },
  };
};
