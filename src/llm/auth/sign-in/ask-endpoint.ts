import { AppError, messageOf } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { boundBody } from "../../bounded-body.ts";
import type { HttpClient } from "../../http.ts";
import { networkError } from "../../network-error.ts";
import { asRecord } from "../../wires/json-fields.ts";
import { refusalCode, refusalText } from "../renew/refusal.ts";
import { isSafeAddress } from "../renew/safe-address.ts";
import type { TokenRequest } from "../renew/token-request.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { signInErrors } from "./errors.ts";
import { wordsWithout } from "../renew/plain-words.ts";

/** What a sign-in asks its endpoints with. */
export interface AskDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** How long one answer is waited for. */
  readonly timeoutMs: number;
  /** Masks what an endpoint said. */
  readonly redact: (text: string) => string;
  /** The provider, as messages name it. */
  readonly label: string;
}

/** What an endpoint answered, whatever its status. */
export interface EndpointAnswer {
  readonly status: number;
  readonly isFine: boolean;
  /** Empty where the answer is no JSON object. */
  readonly body: JsonObject;
}

/** Tokens have some kilobytes; what is larger is no answer of a token endpoint. */
const LARGEST_ANSWER_BYTES = 256 * 1024;

/**
 * Sends one request of a sign-in. Throws the signal's reason, `sign_in.unsafe_address`, `sign_in.slow`, `sign_in.too_large` or
 * `sign_in.unreachable`; none of them names more of the address than its host.
 */
export const askEndpoint = async (
  deps: AskDeps,
  request: TokenRequest,
  signal: AbortSignal,
): Promise<EndpointAnswer> => {
  const { url, body } = request;
  if (!isSafeAddress(url)) throw signInErrors.unsafeAddress({ address: hostOf(url) });
  using deadline = deps.clock.deadline(deps.timeoutMs);
  const ended = AbortSignal.any([signal, deadline.signal]);
  const headers = { accept: "application/json", ...request.headers };
  try {
    const answer =
      request.method === "GET"
        ? await deps.http.get({ url, headers }, ended)
        : await deps.http.post({ url, headers, body: body ?? "" }, ended);
    const pieces: Uint8Array[] = [];
    for await (const piece of boundBody(answer.body, LARGEST_ANSWER_BYTES)) pieces.push(piece);
    const { status } = answer;
    return { status, isFine: status >= 200 && status < 300, body: readBody(Buffer.concat(pieces)) };
  } catch (thrown) {
    signal.throwIfAborted();
    throw failureOf(deps, { thrown, url, isLate: deadline.signal.aborted });
  }
};

const readBody = (bytes: Buffer): JsonObject => asRecord(parseJson(bytes.toString("utf8"))) ?? {};

const hostOf = (url: string): string => URL.parse(url)?.host ?? "that address";

const failureOf = (
  { label, timeoutMs }: AskDeps,
  { thrown, url, isLate }: { readonly thrown: unknown; readonly url: string; readonly isLate: boolean },
): AppError => {
  const host = hostOf(url);
  if (isLate) return signInErrors.slow({ host, seconds: timeoutMs / 1000 });
  if (thrown instanceof AppError && thrown.code === "llm.answer_too_large") {
    return signInErrors.tooLarge({ host, limit: LARGEST_ANSWER_BYTES });
  }
  if (thrown instanceof AppError) return thrown;
  const { kind, message } = networkError(thrown, url);
  return signInErrors.unreachable({ label, why: kind === "network" ? message : messageOf(thrown) }, thrown);
};

/** What an endpoint said in refusal, in one line without secrets. */
export const refusalWords = ({ redact }: AskDeps, answer: EndpointAnswer, secrets: readonly string[]): string => {
  const { body, status } = answer;
  const words = refusalText(body);
  const code = refusalCode(body);
  const said = [words, code === undefined || code === words ? undefined : `(${code})`].filter(Boolean).join(" ");
  return said === "" ? `status ${status}` : wordsWithout(said, secrets, redact);
};
