import { sliceCharacters } from "../../base/slice-characters.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { ProviderError, ProviderErrorKind } from "../provider-error.ts";
import { asCount, asRecord, asText } from "./json-fields.ts";
import { readRetryAfter, readStatedWait } from "./retry-after.ts";
import { readStatedWindow, saysOutOfMemory, saysOverflow, saysTierEnds } from "./overflow-text.ts";
import type { HeaderLookup } from "./wire.ts";

/** Masks secrets in a text. */
export type RedactText = (text: string) => string;

/** Longest text of a provider's error that is kept, in UTF-16 units. */
export const MAX_ERROR_TEXT = 500;

/** A failure as some provider described it, before it has a kind. */
export interface FailureFacts {
  readonly status?: number | undefined;
  /** Machine-readable names: `code`, `type`, an exception's class. */
  readonly codes: readonly string[];
  readonly text: string;
  /** The window that a field of its own states. */
  readonly contextWindow?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The kind, where a field of the format says it beyond doubt; nothing else is asked then. */
  readonly kind?: ProviderErrorKind | undefined;
}

/** Reads what only one format says about a failure. `now` is ms UTC; undefined = not known. */
export type RefineFailure = (facts: FailureFacts, body: unknown, now: number | undefined) => FailureFacts;

/** Masks, then cuts: a cut first could leave half a secret that no pattern knows. */
const boundText = (text: string, redact: RedactText): string => {
  const masked = redact(text).toWellFormed().trim();
  return masked.length <= MAX_ERROR_TEXT ? masked : `${sliceCharacters(masked, 0, MAX_ERROR_TEXT - 1)}…`;
};

/** Names that providers use, lower-cased and without punctuation, and what they mean. */
const KIND_BY_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  contextlengthexceeded: "overflow",
  exceedcontextsizeerror: "overflow",
  contextwindowexceeded: "overflow",
  contextwindowexceedederror: "overflow",
  modelcontextwindowexceeded: "overflow",
  invalidapikey: "auth",
  authenticationerror: "auth",
  unauthorized: "auth",
  unauthenticated: "auth",
  permissiondeniederror: "auth",
  permissionerror: "auth",
  insufficientquota: "billing",
  billingerror: "billing",
  billinghardlimitreached: "billing",
  insufficientcredits: "billing",
  ratelimiterror: "rate_limit",
  ratelimitexceeded: "rate_limit",
  ratelimitreached: "rate_limit",
  toomanyrequests: "rate_limit",
  resourceexhausted: "rate_limit",
  overloadederror: "overloaded",
  overloaded: "overloaded",
  serverisoverloaded: "overloaded",
  slowdown: "overloaded",
  serviceunavailableerror: "overloaded",
  unavailable: "overloaded",
  servererror: "server",
  internalservererror: "server",
  internalerror: "server",
  apierror: "server",
  apiconnectionerror: "server",
  timeouterror: "server",
  apitimeouterror: "server",
  modelnotfound: "model_not_found",
  modelnotfounderror: "model_not_found",
  notfounderror: "model_not_found",
  deploymentnotfound: "model_not_found",
  contentfilter: "policy",
  contentpolicyviolation: "policy",
  contentpolicyviolationerror: "policy",
  moderationblocked: "policy",
  dataprivacy: "policy",
  imagecontentpolicyviolation: "policy",
  invalidprompt: "policy",
  biopolicy: "policy",
  requesttoolarge: "payload_too_large",
  invalidimage: "invalid_request",
  invalidimageformat: "invalid_request",
  invalidimagemode: "invalid_request",
  invalidimageurl: "invalid_request",
  invalidbaseimage: "invalid_request",
  imagetoolarge: "invalid_request",
  imagetoosmall: "invalid_request",
  imageparseerror: "invalid_request",
  imagefiletoolarge: "invalid_request",
  imagefilenotfound: "invalid_request",
  emptyimagefile: "invalid_request",
  unsupportedimagemediatype: "invalid_request",
  failedtodownloadimage: "invalid_request",
  dataresidencymismatch: "invalid_request",
  throttlingexception: "rate_limit",
  servicequotaexceededexception: "rate_limit",
  modelnotreadyexception: "overloaded",
  serviceunavailableexception: "overloaded",
  internalserverexception: "server",
  modelstreamerrorexception: "server",
  modelerrorexception: "server",
  modeltimeoutexception: "server",
  accessdeniedexception: "auth",
  unrecognizedclientexception: "auth",
  expiredtokenexception: "auth",
  invalidsignatureexception: "auth",
  resourcenotfoundexception: "model_not_found",
  validationexception: "invalid_request",
  badrequesterror: "invalid_request",
  invalidrequesterror: "invalid_request",
  unprocessableentityerror: "invalid_request",
};

/** Kinds that a code may give even where the status says something more general. */
const STRONGER_THAN_STATUS: ReadonlySet<ProviderErrorKind> = new Set([
  "overflow",
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "model_not_found",
  "policy",
]);

const kindOfCodes = (codes: readonly string[]): ProviderErrorKind | undefined => {
  let weak: ProviderErrorKind | undefined;
  for (const code of codes) {
    const name = code.toLowerCase().replaceAll(/[^a-z]/g, "");
    const kind = Object.hasOwn(KIND_BY_CODE, name) ? KIND_BY_CODE[name] : undefined;
    if (kind !== undefined && STRONGER_THAN_STATUS.has(kind)) return kind;
    weak ??= kind;
  }
  return weak;
};

const KIND_BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "auth",
  402: "billing",
  403: "auth",
  408: "server",
  413: "payload_too_large",
  424: "server",
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};

const kindOfStatus = (status: number): ProviderErrorKind =>
  KIND_BY_STATUS[status] ?? (status >= 500 ? "server" : "invalid_request");

const MODEL_UNKNOWN =
  /\bmodel\b[^.]{0,120}\b(?:not found|does not exist|is not supported|not available|deprecated|unknown)\b|not a valid model|unknown model|no such model|no endpoints found/i;
const KEY_REFUSED =
  /api[ _-]?key[^.]{0,40}\b(?:invalid|not valid|incorrect|expired|missing)\b|\b(?:invalid|incorrect)\b[^.]{0,20}api[ _-]?key/i;
const POLICY =
  /content (?:management|filter|policy)|content[_ -]?filter|safety (?:system|policy)|moderation|data policy|guardrail/i;
const MONEY = /insufficient (?:balance|credits|funds|quota)|out of credits|exceeded your current quota|billing/i;

/** Kinds that only the words tell; asked where status and codes say no more than "a bad request". */
const kindOfText = (text: string): ProviderErrorKind | undefined => {
  if (KEY_REFUSED.test(text)) return "auth";
  if (MODEL_UNKNOWN.test(text)) return "model_not_found";
  if (MONEY.test(text)) return "billing";
  if (POLICY.test(text)) return "policy";
  return undefined;
};

const vague = (kind: ProviderErrorKind): boolean => kind === "invalid_request";

const kindOf = ({ status, codes, text, kind }: FailureFacts): ProviderErrorKind => {
  if (kind !== undefined) return kind;
  // A server short of memory speaks of the context as well (B15): asked first.
  if (saysOutOfMemory(text)) return "resource";
  const byCode = kindOfCodes(codes);
  if (byCode === "overflow" || saysTierEnds(text)) return "overflow";
  const byStatus = status === undefined ? undefined : kindOfStatus(status);
  const general = byCode !== undefined && STRONGER_THAN_STATUS.has(byCode) ? byCode : (byStatus ?? byCode);
  // "Too many tokens per minute" is a rate limit whatever it calls itself.
  const mayBeOverflow =
    general === undefined || vague(general) || general === "payload_too_large" || general === "server";
  if (mayBeOverflow && saysOverflow(text)) return "overflow";
  if (general === undefined) return kindOfText(text) ?? "server";
  if (vague(general)) return kindOfText(text) ?? general;
  if (status === 403 && POLICY.test(text)) return "policy";
  if (status === 429 && MONEY.test(text)) return "billing";
  return general;
};

/** Gives a failure its kind. The text is masked and bounded; a window is kept only where it is stated beyond doubt. */
export const classifyFailure = (facts: FailureFacts, redact: RedactText): ProviderError => {
  const kind = kindOf(facts);
  const contextWindow = kind === "overflow" ? (facts.contextWindow ?? readStatedWindow(facts.text)) : undefined;
  return {
    kind,
    message: boundText(facts.text, redact),
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(facts.retryAfterMs === undefined ? {} : { retryAfterMs: facts.retryAfterMs }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
};

/** HTTP statuses by the class names that Python servers put into a stream (B02). */
const STATUS_BY_NAME: Readonly<Record<string, number>> = {
  BadRequestError: 400,
  AuthenticationError: 401,
  PermissionDeniedError: 403,
  NotFoundError: 404,
  UnprocessableEntityError: 422,
  RateLimitError: 429,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
};

const asStatus = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
};

const firstDefined = <T>(values: readonly (T | undefined)[]): T | undefined =>
  values.find((value) => value !== undefined);

/** What one level of nesting says; providers wrap another provider's error into their own (OpenRouter's `metadata.raw`). */
const upstreamText = (error: Readonly<Record<string, unknown>>): string | undefined => {
  const raw = asRecord(error.metadata)?.raw;
  if (typeof raw !== "string") return undefined;
  return describedIn(parseJson(raw)) ?? asText(raw);
};

const describedIn = (value: unknown): string | undefined => {
  const body = asRecord(value);
  if (body === undefined) return undefined;
  const error = asRecord(body.error);
  return firstDefined([asText(error?.message), asText(body.error), asText(body.message), asText(body.detail)]);
};

/**
 * Reads the failure that a JSON value describes: `{error: {…}}`, `{error: "…"}`, `{error_type, error_message}`,
 * `{object: "error", message}`, `{detail}`. Undefined where it describes none.
 */
export const readFailure = (value: unknown): FailureFacts | undefined => {
  const body = asRecord(value);
  if (body === undefined) return undefined;
  const error = asRecord(body.error) ?? body;
  const named = firstDefined([asText(error.type), asText(error.error_type), asText(body.error_type)]);
  const text = firstDefined([
    asText(error.message),
    asText(body.error),
    asText(error.error_message),
    asText(error.detail),
    describedIn(error),
  ]);
  const described = text ?? (asRecord(body.error) === undefined ? undefined : JSON.stringify(body.error));
  if (described === undefined) return undefined;
  const upstream = upstreamText(error);
  return {
    status: firstDefined([
      asStatus(error.status_code),
      asStatus(error.code),
      asStatus(error.status),
      named === undefined ? undefined : STATUS_BY_NAME[named],
    ]),
    codes: [error.code, error.type, error.status, named].filter((code) => typeof code === "string"),
    text: upstream === undefined || described.includes(upstream) ? described : `${described}: ${upstream}`,
    contextWindow: asCount(error.n_ctx) || undefined,
    retryAfterMs: readStatedWait(error, described),
  };
};

const PAGE = /^\s*(?:<!doctype|<html|<\?xml)/i;

/** The words of a body that is no JSON: its text; of a page, its title. */
const plainText = (body: string): string => {
  if (!PAGE.test(body)) return body.trim();
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.trim();
  return title === undefined || title === "" ? "the answer is a web page" : `the answer is a web page: ${title}`;
};

/** What is read at an address that is not a provider's: a page, a word, nothing. */
const undescribed = ({ status, body }: { readonly status: number; readonly body: string }): string => {
  const text = plainText(body) || `HTTP ${status} without a text`;
  return NO_SUCH_PLACE.has(status) ? `${text} (status ${status}; is base_url right?)` : text;
};

const NO_SUCH_PLACE: ReadonlySet<number> = new Set([404, 405]);

/** Classifies a non-2xx answer: status, then structured codes, then words. `now` (ms UTC) anchors an HTTP date. */
export const classifyAnswer = (
  answer: { readonly status: number; readonly headers: HeaderLookup; readonly body: string },
  context: { readonly now: number; readonly redact: RedactText; readonly refine?: RefineFailure },
): ProviderError => {
  const parsed = parseJson(answer.body);
  const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  const described = readFailure(body);
  const text = described?.text ?? undescribed(answer);
  const facts: FailureFacts = {
    codes: described?.codes ?? [],
    text,
    status: answer.status,
    contextWindow: described?.contextWindow,
    retryAfterMs: readRetryAfter(answer.headers, context.now) ?? described?.retryAfterMs,
  };
  return classifyFailure(context.refine?.(facts, body, context.now) ?? facts, context.redact);
};
