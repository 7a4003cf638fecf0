import type { AppError } from "../../../base/app-error.ts";
import type { WireCredential } from "../../credential.ts";
import type { GhCli } from "../sources/gh-cli.ts";
import { placeOfPool, type LiveCredential, type PoolPlace, type SourceContext } from "../sources/live-credential.ts";
import { SYNC_SOURCES } from "../sources/sync-sources.ts";
import { entriesWithLogin, type VaultFiles } from "../vault/add-credential.ts";
import type { BorrowedCredential } from "../vault/pool-entry.ts";
import { emptyVault, suppressedSources, type VaultDocument } from "../vault/vault-document.ts";
import { borrowedEntry, listCandidates, type Candidate, type CandidateFacts } from "./candidate.ts";

/** What AWS's own chain of credentials answers. */
export type AwsAnswer =
  | { readonly kind: "found"; readonly credential: WireCredential }
  | { readonly kind: "none"; readonly why: string };

/** What pools are made of. */
export interface RosterDeps extends VaultFiles {
  readonly sources: SourceContext;
  readonly gh: GhCli;
  /** Credentials for Amazon Bedrock; absent = not looked for. */
  readonly aws?: ((signal: AbortSignal) => Promise<AwsAnswer>) | undefined;
}

/** A pool at one moment. */
export interface Roster {
  readonly candidates: readonly Candidate[];
  /** Why the file could not be read: only what other sources hold is there. */
  readonly broken: AppError | undefined;
  /** Why a source that was asked has nothing. */
  readonly why: string | undefined;
}

type Held = CandidateFacts["held"];

const NOT_ALLOWED: Roster = { candidates: [], broken: undefined, why: undefined };

/** The pool as it can be seen without waiting. */
export const peekRoster = (deps: RosterDeps, pool: string, held: Held): Roster => {
  const place = placeOfPool(pool, deps.sources);
  if (place === undefined) return NOT_ALLOWED;
  const live = pool === "copilot" ? [...syncLive(deps, place), ...deps.gh.peek()] : syncLive(deps, place);
  return makeRoster(deps, { pool, live, held });
};

/** The pool with what other programs are asked for. Throws the signal's reason. */
export const readRoster = async (
  deps: RosterDeps,
  pool: string,
  { held, signal }: { readonly held: Held; readonly signal: AbortSignal },
): Promise<Roster> => {
  signal.throwIfAborted();
  const place = placeOfPool(pool, deps.sources);
  if (place === undefined) return NOT_ALLOWED;
  const live = [...syncLive(deps, place)];
  if (pool === "copilot" && !isSuppressed(deps, pool, "gh_cli")) live.push(...(await deps.gh.read()));
  if (place.row?.auth !== "aws" || deps.aws === undefined || isSuppressed(deps, pool, "aws")) {
    return makeRoster(deps, { pool, live, held });
  }
  const aws = await deps.aws(signal);
  if (aws.kind === "none") return { ...makeRoster(deps, { pool, live, held }), why: aws.why };
  live.push({ source: "aws", label: "aws", authType: "api_key", secret: aws.credential });
  return makeRoster(deps, { pool, live, held });
};

const syncLive = ({ sources }: RosterDeps, place: PoolPlace): readonly LiveCredential[] =>
  SYNC_SOURCES.flatMap((source) => source(place, sources));

const documentOf = ({
  vault,
}: RosterDeps): { readonly document: VaultDocument; readonly broken: AppError | undefined } => {
  const read = vault.read();
  return read.kind === "document"
    ? { document: read.document, broken: undefined }
    : { document: emptyVault(), broken: read.error };
};

const isSuppressed = (deps: RosterDeps, pool: string, source: string): boolean =>
  suppressedSources(documentOf(deps).document, pool).includes(source);

const makeRoster = (
  deps: RosterDeps,
  { pool, live, held }: { readonly pool: string; readonly live: readonly LiveCredential[]; readonly held: Held },
): Roster => {
  const { document, broken } = documentOf(deps);
  const suppressed = suppressedSources(document, pool);
  const allowed = live.filter(({ source }) => !suppressed.includes(source));
  const stored = entriesWithLogin(document, pool, deps);
  return { candidates: listCandidates({ pool, stored, live: allowed, held }), broken, why: undefined };
};

/** The borrowed candidates as entries, for whoever writes them together with something else. */
export const borrowedEntries = (candidates: readonly Candidate[]): readonly BorrowedCredential[] =>
  candidates.filter(({ stored }) => stored?.kind !== "owned").map(borrowedEntry);
