import type { AppError } from "../../base/app-error.ts";
import type { WireCredential } from "../credential.ts";
import type { ProviderError } from "../provider-error.ts";

/** One key or login of a provider that can be used now. `id` and `label` may be shown; the secret may not. */
export interface PooledCredential {
  /** The pool entry's id; the same secret keeps its id while the program runs. */
  readonly id: string;
  readonly label: string;
  /** Where it comes from, as compat 3.4 names sources: `env:OPENROUTER_API_KEY`, `manual`, `device_code`, … */
  readonly source: string;
  readonly secret: WireCredential;
  /** It is a login: it is renewed by signing in, not by writing another key. */
  readonly login?: true;
  /** The address that belongs to this credential, where it has one of its own. */
  readonly baseUrl?: string;
}

/** The use of a credential by one call. Releasing twice is harmless. */
export interface CredentialLease extends Disposable {
  readonly credential: PooledCredential;
  /** How many further credentials of the provider could be leased now, were this one excluded. */
  readonly others: number;
}

/** Which credential a call wants. */
export interface LeaseWish {
  /** Ids that are not wanted any more. */
  readonly exclude: ReadonlySet<string>;
  /** The id that this turn used before: taken again, whatever the strategy, unless it is excluded or rests (the provider's cache is per key). */
  readonly prefer?: string | undefined;
  /** Where everything rests, the one whose rest ends first: the caller has nowhere else to go. */
  readonly evenResting?: boolean;
  readonly signal: AbortSignal;
}

/** Why a provider has no credential to give. */
export type NoCredential =
  /** There is none at all, or what there is was suppressed. `error` = why what is there cannot be used: a lost login, a broken file. */
  | { readonly kind: "no_credential"; readonly error?: AppError }
  /** All of them rest; `until` (ms UTC) is when the first one may be tried again. */
  | { readonly kind: "resting"; readonly until: number; readonly last: ProviderError | undefined }
  /** A login cannot be renewed for now (its file is busy, the network is down): it is not dead. */
  | { readonly kind: "try_later"; readonly why: string };

export type LeaseOutcome = { readonly kind: "leased"; readonly lease: CredentialLease } | NoCredential;

/** What a refused credential became. */
export type RenewOutcome =
  /** Renewed, or a peer's rotation adopted: the same entry with a new secret. */
  | { readonly kind: "renewed"; readonly lease: CredentialLease }
  /** It is a key, or its login is gone for good (`why`). */
  | { readonly kind: "not_renewable"; readonly why: string }
  | { readonly kind: "try_later"; readonly why: string };

/**
 * The credentials of every provider (R-CRED, compat 4.5): which one a call gets, and what became of it. Pools are named by
 * provider id, those of named endpoints `custom:<name>`.
 */
export interface CredentialPool {
  /**
   * The credential that a call would most likely get, read without network, processes or waiting; a login is shown whether it
   * has expired or not. Its secret is `none` where only a program or the network tells it (GitHub's command line, a login that has
   * yet to be exchanged). Undefined = there is none; credentials of AWS are looked for with the call alone. Never throws.
   */
  peek(provider: string): PooledCredential | undefined;
  /**
   * Takes the next credential by the provider's strategy: one that is free before one in use, none in `exclude` (ids), none that
   * rests. A login that is about to expire is renewed first, under the lock that all processes share. Throws the signal's reason alone.
   */
  lease(provider: string, wish: LeaseWish): Promise<LeaseOutcome>;
  /** After a 401: renews a login, or adopts what a peer renewed. The secret that was refused decides which entry is meant (B24). Throws the signal's reason alone. */
  renew(provider: string, refused: PooledCredential, signal: AbortSignal): Promise<RenewOutcome>;
  /** Lets a credential rest: 401 = 300 s, all else 3,600 s, or until the provider's own reset time (compat 4.5). */
  rest(provider: string, refused: PooledCredential, error: ProviderError): Promise<void>;
}
