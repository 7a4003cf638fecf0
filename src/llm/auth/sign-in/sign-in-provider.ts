import { findLoginProvider, type LoginProvider } from "../renew/login-providers.ts";
import type { SignInEndpoints, SignInRow } from "./sign-in-row.ts";
import { SIGN_IN_ROWS } from "./sign-in-rows.ts";

/** A provider that can be signed in to. */
export interface SignInProvider extends LoginProvider, Omit<SignInRow, "endpoints"> {
  readonly endpoints: SignInEndpoints;
}

/** Replacements for one provider's sign-in. */
export type SignInOverride = Partial<Pick<SignInProvider, "clientId" | "clientSecret" | "browser">> & {
  readonly endpoints?: Partial<SignInEndpoints>;
};

/** Finds how a provider is signed in to, with what replaces its facts; undefined = it has no sign-in here. */
export const findSignInProvider = (id: string, override: SignInOverride = {}): SignInProvider | undefined => {
  const login = findLoginProvider(id);
  const row = SIGN_IN_ROWS.find((candidate) => candidate.id === id);
  if (login === undefined || row === undefined) return undefined;
  const endpoints = { ...login.endpoints, ...row.endpoints, ...override.endpoints };
  return { ...login, ...row, ...override, endpoints };
};
