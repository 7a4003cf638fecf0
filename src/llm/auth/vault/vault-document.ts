import * as z from "zod";
import { parseJson } from "../../../base/parse-json.ts";
import { asRecord } from "../../wires/json-fields.ts";
import { isOwnedSource } from "./owned-sources.ts";
import {
  derivedId,
  entryJson,
  readEntry,
  withoutSecrets,
  type JsonObject,
  type StoredCredential,
} from "./pool-entry.ts";

/**
 * The content of `auth.json` (compat 3.4). Immutable: each function gives a new one. What this program does not know survives
 * at every level; secrets that stood in borrowed entries do not (R-CRED-1).
 */
export interface VaultDocument {
  readonly raw: JsonObject;
  /** The file held secrets of borrowed entries: writing it once takes them off the disk. */
  readonly hadForeignSecrets: boolean;
  /** The entries that were read from `raw` so far, by pool: every look at a pool of a thousand would cost 20 ms. */
  readonly read: Map<string, readonly StoredCredential[]>;
}

/** What the file's text is. */
export type ParsedVault =
  | { readonly kind: "document"; readonly document: VaultDocument }
  | { readonly kind: "broken"; readonly reason: string };

const documentSchema = z.looseObject({
  active_provider: z.string().nullish(),
  providers: z.record(z.string(), z.unknown()).nullish(),
  credential_pool: z.record(z.string(), z.array(z.unknown())).nullish(),
  suppressed_sources: z.record(z.string(), z.array(z.string())).nullish(),
});

type VaultShape = z.output<typeof documentSchema>;

/** A home that has no file yet. */
export const emptyVault = (): VaultDocument => ({
  raw: { version: 1, active_provider: null, providers: {}, credential_pool: {} },
  hadForeignSecrets: false,
  read: new Map(),
});

/** Reads the text of the file; blank text counts as no file. */
export const parseVault = (text: string): ParsedVault => {
  if (text.trim() === "") return { kind: "document", document: emptyVault() };
  const json = parseJson(text.replace(/^\uFEFF/, ""));
  if (json === undefined) return { kind: "broken", reason: "is no JSON" };
  const parsed = documentSchema.safeParse(json);
  if (!parsed.success) {
    const at = parsed.error.issues[0]?.path.join(".") ?? "";
    return { kind: "broken", reason: at === "" ? "is no JSON object" : `has another form than expected at ${at}` };
  }
  const pools = Object.entries(parsed.data.credential_pool ?? {});
  const cleaned = pools.map(([provider, entries]) => [provider, cleanPool(provider, entries)] as const);
  const hadForeignSecrets = cleaned.some(([, pool]) => pool.isChanged);
  const pool = Object.fromEntries(cleaned.map(([provider, { entries }]) => [provider, entries]));
  const raw = parsed.data.credential_pool === undefined ? asObject(json) : { ...asObject(json), credential_pool: pool };
  return { kind: "document", document: { raw, hadForeignSecrets, read: new Map() } };
};

const asObject = (value: unknown): JsonObject => asRecord(value) ?? {};

/** Takes secrets out of borrowed entries, and gives an id to those that have none, so that they can be named. */
const cleanPool = (
  provider: string,
  entries: readonly unknown[],
): { readonly entries: readonly unknown[]; readonly isChanged: boolean } => {
  let isChanged = false;
  const cleaned = entries.map((entry, index) => {
    const raw = asRecord(entry);
    if (raw === undefined) return entry;
    const source = typeof raw["source"] === "string" ? raw["source"] : "manual";
    const id = typeof raw["id"] === "string" && raw["id"] !== "" ? raw["id"] : derivedId(provider, source, `${index}`);
    if (isOwnedSource(provider, source)) return { ...raw, id };
    const safe = withoutSecrets(raw);
    isChanged ||= Object.keys(safe).length !== Object.keys(raw).length;
    return { ...safe, id };
  });
  return { entries: cleaned, isChanged };
};

/** The text to write. */
export const renderVault = ({ raw }: VaultDocument): string => `${JSON.stringify(raw, undefined, 2)}\n`;

// `parseVault` checked the shape; only the functions below change it, and keep it.
const shapeOf = (document: VaultDocument): VaultShape => document.raw;

const memberOf = <T>(record: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined =>
  record !== null && record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;

const withMember = (document: VaultDocument, name: keyof VaultShape, value: unknown): VaultDocument => ({
  ...document,
  raw: { ...document.raw, [name]: value },
  read: new Map(),
});

const rawPool = (document: VaultDocument, provider: string): readonly unknown[] =>
  memberOf(shapeOf(document).credential_pool, provider) ?? [];

/** The names of all pools that have entries in the file. */
export const storedPools = (document: VaultDocument): readonly string[] =>
  Object.keys(shapeOf(document).credential_pool ?? {});

/** A provider's entries in the order of their priorities. */
export const storedEntries = (document: VaultDocument, provider: string): readonly StoredCredential[] => {
  const before = document.read.get(provider);
  if (before !== undefined) return before;
  const entries = rawPool(document, provider)
    .flatMap((raw, index) => readEntry(raw, { provider, index }) ?? [])
    .sort((a, b) => a.priority - b.priority);
  document.read.set(provider, entries);
  return entries;
};

const withPool = (document: VaultDocument, provider: string, entries: readonly unknown[]): VaultDocument =>
  withMember(document, "credential_pool", { ...shapeOf(document).credential_pool, [provider]: entries });

const hasId = (raw: unknown, id: string): boolean => asRecord(raw)?.["id"] === id;

/** Puts entries into a provider's pool, each in the place of the one with its id. */
export const withEntries = (
  document: VaultDocument,
  provider: string,
  entries: readonly StoredCredential[],
): VaultDocument => {
  const left = new Map(entries.map((entry) => [entry.id, entry]));
  const pool = rawPool(document, provider).map((raw) => {
    const id = asRecord(raw)?.["id"];
    const entry = typeof id === "string" ? left.get(id) : undefined;
    if (entry === undefined) return raw;
    left.delete(entry.id);
    return entryJson(entry);
  });
  return withPool(document, provider, [...pool, ...[...left.values()].map(entryJson)]);
};

/** Takes an entry out. */
export const withoutEntry = (document: VaultDocument, provider: string, id: string): VaultDocument =>
  withPool(
    document,
    provider,
    rawPool(document, provider).filter((raw) => !hasId(raw, id)),
  );

/** The sources of a provider that are not read any more. */
export const suppressedSources = (document: VaultDocument, provider: string): readonly string[] =>
  memberOf(shapeOf(document).suppressed_sources, provider) ?? [];

/** Stops reading sources of a provider. */
export const withSuppressed = (document: VaultDocument, provider: string, sources: readonly string[]): VaultDocument =>
  withSuppression(document, provider, [...new Set([...suppressedSources(document, provider), ...sources])]);

/** Reads sources of a provider again. */
export const withAllowed = (document: VaultDocument, provider: string, sources: readonly string[]): VaultDocument =>
  withSuppression(
    document,
    provider,
    suppressedSources(document, provider).filter((source) => !sources.includes(source)),
  );

const withSuppression = (document: VaultDocument, provider: string, sources: readonly string[]): VaultDocument => {
  const before = suppressedSources(document, provider);
  if (sources.length === before.length) return document;
  const all = { ...shapeOf(document).suppressed_sources, [provider]: sources };
  const kept = Object.entries(all).filter(([, each]) => each.length > 0);
  return withMember(document, "suppressed_sources", Object.fromEntries(kept));
};

/** The login state that the existing system keeps beside the pool (`providers.<id>`). */
export const loginState = (document: VaultDocument, provider: string): JsonObject | undefined =>
  asRecord(memberOf(shapeOf(document).providers, provider));

/** Replaces a login's state; undefined removes it. */
export const withLoginState = (
  document: VaultDocument,
  provider: string,
  state: JsonObject | undefined,
): VaultDocument => {
  const { [provider]: before, ...others } = shapeOf(document).providers ?? {};
  if (state === undefined && before === undefined) return document;
  return withMember(document, "providers", state === undefined ? others : { ...others, [provider]: state });
};

/** The provider that was signed in to last. */
export const activeProvider = (document: VaultDocument): string | undefined =>
  shapeOf(document).active_provider ?? undefined;

/** Says which provider was signed in to last; undefined = none. */
export const withActiveProvider = (document: VaultDocument, provider: string | undefined): VaultDocument =>
  withMember(document, "active_provider", provider ?? null);
