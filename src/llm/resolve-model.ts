import type { AppError } from "../base/app-error.ts";
import { keyCredential, keyValueOf, NO_CREDENTIAL, type WireCredential } from "./credential.ts";
import { llmErrors } from "./errors.ts";
import { isLocalEndpoint } from "./local-endpoint.ts";
import type { WireId } from "./message.ts";
import type { ModelInfo } from "./model-info.ts";
import type { ModelTarget } from "./model-target.ts";
import type { ModelRoute, RouteCredentials } from "./routing/model-route.ts";
import { PRACTICE } from "./practice/practice-id.ts";
import { nearProviders } from "./providers/near-providers.ts";
import type { ProviderRow } from "./providers/provider-row.ts";
import { selectWire } from "./providers/select-wire.ts";
import {
  callableProviderIds,
  canBeCalled,
  credentialOf,
  findProvider,
  firstWithKey,
  keyVariablesOf,
  knownProviderIds,
  needsKey,
  poolOf,
  rowAtAddress,
  rowOfWire,
} from "./resolve/known-providers.ts";
import { bedrockAddress, guardrailBody, namedRegion } from "./resolve/bedrock-settings.ts";
import type { KnownProvider, Resolution, ResolveInput, Wanted } from "./resolve/resolve-input.ts";
import { readWanted } from "./resolve/wanted-model.ts";
import { DEFAULT_REQUEST_TIMEOUT_MS } from "./stall-policy.ts";
import type { ProviderQuirks } from "./wires/wire.ts";

export type { Resolution, ResolveInput } from "./resolve/resolve-input.ts";

/**
 * Settles which model answers, and how it is called. Pure. An explicit provider wins over the model's name, the model's name
 * over the configured provider, and `auto` takes the first provider of the table whose key is set.
 */
export const resolveModel = (input: ResolveInput): Resolution => {
  const read = readWanted(input);
  if (read.kind === "alias_loop") return none(llmErrors.aliasLoop({ alias: read.alias }));
  return resolveWanted(read.wanted, input);
};

/** One entry of `fallback_providers`. */
export interface FallbackEntry {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string | undefined;
  readonly key_env?: string | undefined;
}

/** The model that a fallback names. */
export const resolveFallback = (
  { provider, model, base_url: baseUrl, key_env: keyEnv }: FallbackEntry,
  input: ResolveInput,
): Resolution => resolveWanted({ provider, model, baseUrl, keyEnv, configured: false }, input);

/** The model that was asked for, in so many words. */
export const resolveWanted = (wanted: Wanted, input: ResolveInput): Resolution => {
  if (isPractice(wanted)) return { kind: "practice" };
  const provider = chooseProvider(wanted, input);
  return "error" in provider ? provider : resolveAt(provider.known, wanted, input);
};

const none = (error: AppError): Extract<Resolution, { kind: "none" }> => ({ kind: "none", error });

const isPractice = ({ provider, model }: Wanted): boolean =>
  provider?.toLowerCase() === PRACTICE || (provider === undefined && model?.toLowerCase() === PRACTICE);

type Chosen = { readonly known: KnownProvider } | Extract<Resolution, { kind: "none" }>;

const chooseProvider = (wanted: Wanted, input: ResolveInput): Chosen => {
  if (wanted.provider !== undefined) {
    const known = findProvider(wanted.provider, input);
    if (known !== undefined) return { known };
    const nearest = nearProviders(wanted.provider, knownProviderIds(input));
    return none(llmErrors.unknownProvider({ provider: wanted.provider, nearest }));
  }
  const custom = findProvider("custom", input);
  if (custom !== undefined && (wanted.baseUrl ?? input.config.model.base_url) !== undefined) return { known: custom };
  const first = firstWithKey(input);
  if (first !== undefined) return { known: first };
  return none(llmErrors.noModel({}));
};

const resolveAt = (known: KnownProvider, wanted: Wanted, input: ResolveInput): Resolution => {
  if (known.row !== undefined && !canBeCalled(known.row)) {
    return none(llmErrors.cannotCall({ provider: known.id, working: callableProviderIds(input) }));
  }
  const fixed = fixedKey(wanted, input);
  if (wanted.keyEnv !== undefined && fixed === undefined) {
    return none(llmErrors.noKey({ provider: known.id, variables: [wanted.keyEnv], takesKept: false }));
  }
  const pooled = fixed === undefined ? credentialOf(known, input) : undefined;
  const secret = fixed === undefined ? (pooled?.secret ?? NO_CREDENTIAL) : keyCredential(fixed);
  const settled = settlePlace(known, wanted, { input, secret, ownAddress: pooled?.baseUrl });
  if ("error" in settled) return settled;
  const required = needsKey(known, settled.baseUrl);
  if (secret.kind === "none" && required) return none(missingCredential(known));
  const target = buildTarget(known, settled, { wanted, input });
  const credentials: RouteCredentials =
    fixed === undefined ? { kind: "pool", pool: poolOf(known), optional: !required } : { kind: "fixed" };
  const targetWith: ModelRoute["targetWith"] = (credential) => {
    if (credential === undefined) return fixed === undefined ? { ...target, credential: NO_CREDENTIAL } : target;
    const place = settlePlace(known, wanted, { input, secret: credential.secret, ownAddress: credential.baseUrl });
    return "error" in place
      ? { ...target, credential: credential.secret }
      : buildTarget(known, place, { wanted, input });
  };
  return { kind: "model", target, route: { info: target.info, credentials, targetWith } };
};

const missingCredential = (known: KnownProvider): AppError => {
  const variables = keyVariablesOf(known);
  return known.row?.auth === "oauth" || variables.length === 0
    ? llmErrors.noLogin({ provider: known.id })
    : llmErrors.noKey({ provider: known.id, variables, takesKept: true });
};

/** A credential, and the address that it brings along. */
interface Proof {
  readonly input: ResolveInput;
  readonly secret: WireCredential;
  readonly ownAddress: string | undefined;
}

/** Where a model is called and in which format; both can depend on the credential. */
const settlePlace = (
  known: KnownProvider,
  wanted: Wanted,
  { input, secret, ownAddress }: Proof,
): Place | Extract<Resolution, { kind: "none" }> => {
  const own = ownAddress ?? regionalAddress(known, secret, input);
  const address = addressOf(known, wanted, { input, key: keyValueOf(secret), ownAddress: own });
  if ("error" in address) return address;
  const { baseUrl } = address;
  const wire = selectWire({ explicit: explicitWire(known, wanted, input), row: known.row, baseUrl });
  const model = wanted.model ?? modelOfEntry(known);
  if (model === undefined) {
    return none(llmErrors.noModelName({ provider: known.id, examples: input.catalogue.examples(known.id) }));
  }
  return { baseUrl, credential: secret, wire, model: ownName(model, baseUrl, input) };
};

/** The name as the provider at the address itself writes it. */
const ownName = (model: string, baseUrl: string, input: ResolveInput): string =>
  rowAtAddress(baseUrl, input.rows)?.namesHaveDashes === true ? model.replaceAll(".", "-") : model;

/**
 * The key that is written beside the place: a fallback's own variable, or `model.api_key`, which goes to the address or provider that
 * the same section names, and nowhere else.
 */
const fixedKey = (wanted: Wanted, { config, variable }: ResolveInput): string | undefined => {
  const { configured, provider, keyEnv, key } = wanted;
  if (key !== undefined) return key.trim() || undefined;
  if (keyEnv !== undefined) return variable(keyEnv)?.trim() || undefined;
  if (!configured || (provider === undefined && config.model.base_url === undefined)) return undefined;
  return config.model.api_key?.trim() || undefined;
};

/** The configured format; `model.api_mode` counts for the configured provider only (compat 4.1). */
const explicitWire = ({ entry }: KnownProvider, wanted: Wanted, { config }: ResolveInput): WireId | undefined =>
  wanted.wire ?? (wanted.configured ? config.model.api_mode : undefined) ?? entry?.api_mode;

const modelOfEntry = ({ entry }: KnownProvider): string | undefined => {
  if (entry?.default_model !== undefined) return entry.default_model;
  const names = Object.keys(entry?.models ?? {});
  return names.length === 1 ? names[0] : undefined;
};

type Address = { readonly baseUrl: string } | Extract<Resolution, { kind: "none" }>;

const addressOf = (
  known: KnownProvider,
  wanted: Wanted,
  { input, key, ownAddress }: Omit<Proof, "secret"> & { readonly key: string | undefined },
): Address => {
  const { row, entry } = known;
  const fromVariable = row?.baseUrlEnv === undefined ? undefined : input.variable(row.baseUrlEnv)?.trim();
  const written =
    wanted.baseUrl ??
    (wanted.configured ? input.config.model.base_url : undefined) ??
    entry?.base_url ??
    (fromVariable === "" ? undefined : fromVariable) ??
    ownAddress ??
    addressForKey(row, key);
  if (written === undefined) {
    const setting = row === undefined || row.id === "custom" ? "model.base_url" : (row.baseUrlEnv ?? "model.base_url");
    return none(
      llmErrors.noBaseUrl({ provider: known.id, key: row === undefined ? `providers.${known.id}.base_url` : setting }),
    );
  }
  const baseUrl = cleanAddress(written);
  return baseUrl === undefined
    ? none(llmErrors.badBaseUrl({ provider: known.id, url: safeAddress(written) }))
    : { baseUrl };
};

/** Amazon has an address for each region: that of the keys, else the one that settings or variables name. */
const regionalAddress = (
  { row }: KnownProvider,
  secret: WireCredential,
  { config, variable }: ResolveInput,
): string | undefined => {
  if (row?.auth !== "aws") return undefined;
  const region = secret.kind === "aws" ? secret.region : namedRegion(config.bedrock, variable);
  return region === undefined ? undefined : bedrockAddress(region);
};

const addressForKey = (row: ProviderRow | undefined, key: string | undefined): string | undefined => {
  const keyed = row?.keyedBaseUrl;
  return keyed !== undefined && key?.startsWith(keyed.keyPrefix) === true ? keyed.baseUrl : row?.baseUrl;
};

/** Addresses that homes of the existing system name by a scheme of their own. */
const SPECIAL_ADDRESSES: Readonly<Record<string, string>> = {
  "cloudcode-pa://google": "https://cloudcode-pa.googleapis.com",
};

/** An address without its end (`/`, `/chat/completions`, `/responses`, `/messages`); undefined where it is none, or holds a login. */
const cleanAddress = (written: string): string | undefined => {
  const trimmed = (SPECIAL_ADDRESSES[written.trim()] ?? written)
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/(?:chat\/completions|responses|messages)$/, "");
  if (!URL.canParse(trimmed)) return undefined;
  const { protocol, username, password, search } = new URL(trimmed);
  const plain = (protocol === "http:" || protocol === "https:") && username === "" && password === "" && search === "";
  return plain ? trimmed : undefined;
};

/** What of a refused address can be shown. */
const safeAddress = (written: string): string => {
  if (!URL.canParse(written)) return "(not a URL)";
  const { protocol, host, pathname } = new URL(written);
  return `${protocol}//${host}${pathname}`;
};

interface Place {
  readonly baseUrl: string;
  readonly credential: WireCredential;
  readonly wire: WireId;
  readonly model: string;
}

const buildTarget = (
  known: KnownProvider,
  place: Place,
  { wanted, input }: { readonly wanted: Wanted; readonly input: ResolveInput },
): ModelTarget => {
  const { config } = input;
  const { entry } = known;
  const settings = entry?.models?.[place.model];
  const variables = config.environment;
  const stale = firstDuration([
    settings?.stale_timeout_seconds,
    entry?.stale_timeout_seconds,
    variables.stale_timeout_seconds,
  ]);
  const request = firstDuration([
    settings?.timeout_seconds,
    entry?.request_timeout_seconds,
    variables.request_timeout_seconds,
  ]);
  const maxTokens = wanted.configured ? config.model.max_tokens : undefined;
  const guardrail = place.wire === "bedrock_converse" ? guardrailBody(config.bedrock) : undefined;
  const extraBody = guardrail === undefined ? entry?.extra_body : { ...guardrail, ...entry?.extra_body };
  return {
    provider: known.id,
    ...place,
    quirks: quirksFor(known, place, input),
    ...(extraBody === undefined ? {} : { extraBody }),
    stream: true,
    info: infoFor(known, place, { wanted, input }),
    local: isLocalEndpoint(place.baseUrl),
    requestTimeoutMs: request ?? DEFAULT_REQUEST_TIMEOUT_MS,
    ...(stale === undefined ? {} : { staleTimeoutMs: stale }),
    maxAttempts: Math.max(1, config.agent.api_max_retries),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  };
};

/** The first setting that is a time at all, in milliseconds; the configuration reports the others (R-TIME-2). */
const firstDuration = (seconds: readonly (number | undefined)[]): number | undefined => {
  const found = seconds.find((value) => typeof value === "number" && Number.isFinite(value) && value > 0);
  return found === undefined ? undefined : Math.round(found * 1000);
};

const infoFor = (
  known: KnownProvider,
  { model, wire, baseUrl }: Place,
  { wanted, input }: { readonly wanted: Wanted; readonly input: ResolveInput },
): ModelInfo => {
  const { entry } = known;
  const listed = input.catalogue.find(known.id, model, baseUrl);
  const ownModel = wanted.configured && input.flags.model === undefined;
  const configured =
    entry?.models?.[model]?.context_length ??
    (ownModel ? input.config.model.context_length : undefined) ??
    entry?.context_length;
  return {
    provider: known.id,
    model,
    wire,
    ...listed,
    ...(configured === undefined ? {} : { contextWindow: configured, contextWindowFrom: "config" as const }),
  };
};

/**
 * A provider's facts hold for its row and for its address, whoever is configured to be there; those of models at the address, or
 * wherever the wire is spoken that is theirs alone.
 */
const quirksFor = ({ row }: KnownProvider, { baseUrl, model, wire }: Place, { rows }: ResolveInput): ProviderQuirks => {
  const home = rowAtAddress(baseUrl, rows);
  const modelQuirks = home?.modelQuirks ?? rowOfWire(wire, rows)?.modelQuirks ?? [];
  const ofModel = modelQuirks.filter(({ models }) => models.test(model)).map(({ quirks }) => quirks);
  return Object.assign({}, row?.quirks, home?.quirks, ...ofModel) satisfies ProviderQuirks;
};
