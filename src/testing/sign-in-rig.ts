import { join } from "node:path";
import { AppError } from "../base/app-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { createHttpClient, type HttpClient } from "../llm/http.ts";
import type { SignInPerson, SignInStep } from "../llm/auth/sign-in/sign-in-person.ts";
import type { SignInOverride } from "../llm/auth/sign-in/sign-in-provider.ts";
import type { SignInDeps } from "../llm/auth/sign-in/sign-in.ts";
import type { VaultFiles } from "../llm/auth/vault/add-credential.ts";
import { createJsonFiles } from "../llm/auth/vault/json-files.ts";
import { createVault } from "../llm/auth/vault/vault.ts";
import { plainRequest, VISIT } from "./plain-request.ts";

/** A clock that does not wait, but tells what it was to wait for; its time moves on by that. Deadlines are real. */
export interface QuickClock extends Clock {
  readonly waits: readonly number[];
}

/** Makes one. `onWait` is called with each wait's number, from 1 on, and its end is the wait's end. */
export const createQuickClock = (onWait?: (count: number) => Promise<unknown> | undefined): QuickClock => {
  const waits: number[] = [];
  let skipped = 0;
  return {
    ...systemClock,
    waits,
    now: () => systemClock.now() + skipped,
    monotonic: () => systemClock.monotonic() + skipped,
    sleep: async (ms, signal) => {
      waits.push(ms);
      skipped += ms;
      signal?.throwIfAborted();
      await onWait?.(waits.length);
      await systemClock.sleep(0, signal);
    },
  };
};

/** A client without proxies. */
export const plainHttp = (): HttpClient =>
  createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });

/** A person who is watched, and whose steps a test takes. */
export interface ScriptedPerson extends SignInPerson {
  readonly steps: readonly SignInStep[];
  /** The first step of a kind, as soon as it is told. */
  readonly step: <K extends SignInStep["kind"]>(kind: K) => Promise<Extract<SignInStep, { kind: K }>>;
}

/** Makes a person; what is given replaces what they can do. */
export const createPerson = (can: Pick<SignInPerson, "paste" | "openBrowser"> = {}): ScriptedPerson => {
  const steps: SignInStep[] = [];
  const waiting = new Set<() => void>();
  const told = <K extends SignInStep["kind"]>(kind: K): Extract<SignInStep, { kind: K }> | undefined =>
    steps.find((step): step is Extract<SignInStep, { kind: K }> => step.kind === kind);
  return {
    ...can,
    steps,
    tell: (step) => {
      steps.push(step);
      for (const wake of waiting) wake();
    },
    step: async (kind) => {
      for (let found = told(kind); ; found = told(kind)) {
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
  };
};

/** A person in whose browser something happens with the address, where one is opened. */
export const personWith = <T>(
  walk: (url: string) => Promise<T>,
  can: Pick<SignInPerson, "paste"> = {},
): ScriptedPerson & { readonly walked: Promise<T> } => {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const openBrowser = (url: string): boolean => {
    walk(url).then(resolve, reject);
    return true;
  };
  return Object.assign(createPerson({ ...can, openBrowser }), { walked: promise });
};

/** A browser in which the person has agreed at once: it comes back with `code-1`. */
export const agreeingPerson = (): SignInPerson =>
  personWith(async (url) => {
    const asked = new URL(url).searchParams;
    const back = `${asked.get("redirect_uri")}?code=code-1&state=${asked.get("state")}`;
    return await plainRequest(back, { headers: VISIT });
  });

/** What a sign-in in a test is carried out with; disposing ends its connections. */
export interface SignInRig extends SignInDeps, AsyncDisposable {}

/** Makes one: a quick clock and a person who does nothing, unless others are given. */
export const createSignInRig = (
  override: SignInOverride,
  parts: Partial<Pick<SignInDeps, "person" | "clock" | "googleProject">> = {},
): SignInRig => {
  const http = plainHttp();
  return {
    person: createPerson(),
    clock: createQuickClock(),
    ...parts,
    http,
    redact: (text) => text,
    override,
    [Symbol.asyncDispose]: () => http.close(),
  };
};

/** What work that must fail failed with. */
export const failureOf = async (work: Promise<unknown>): Promise<AppError> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error(`it failed with ${String(thrown)}`);
  return thrown;
};

/** The credentials' files of a home. */
export const filesIn = (home: string, clock: Clock = systemClock): VaultFiles => ({
  vault: createVault({ file: join(home, "auth.json"), locksDirectory: join(home, "locks"), clock }),
  json: createJsonFiles(),
});
