import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { parseJson } from "../../../base/parse-json.ts";
import { boundBody, MAX_ERROR_BYTES, readBeginning } from "../../bounded-body.ts";
import type { HttpAnswer, HttpClient } from "../../http.ts";
import { networkError } from "../../network-error.ts";
import type { ProviderError } from "../../provider-error.ts";

/** What questions are asked with. */
export interface AskDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
}

/** One question; with a body it is posted. */
export interface Question {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Longest time for the whole answer, in milliseconds. */
  readonly deadlineMs: number;
  readonly maxBytes: number;
}

/** A JSON answer with a good status, or why there is none. */
export type JsonAnswer =
  | { readonly kind: "json"; readonly value: unknown; readonly headers: HttpAnswer["headers"] }
  /** 304: what the question's headers name is still current. */
  | { readonly kind: "unchanged" }
  /** Another status; `body` is its beginning. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: HttpAnswer["headers"];
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly error: ProviderError };

/** Asks once. Throws the signal's reason when the caller gave up; everything else is an answer. */
export const askJson = async (
  { http, clock }: AskDeps,
  question: Question,
  signal: AbortSignal,
): Promise<JsonAnswer> => {
  const { url, headers = {}, body, deadlineMs, maxBytes } = question;
  using deadline = clock.deadline(deadlineMs);
  const either = AbortSignal.any([signal, deadline.signal]);
  try {
    const answer =
      body === undefined ? await http.get({ url, headers }, either) : await http.post({ url, headers, body }, either);
    return await readAnswer(answer, maxBytes);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (deadline.signal.aborted) return { kind: "failed", error: tooSlow(url, deadlineMs) };
    // Too large an answer, unusable settings: what is thrown by this program has its own words.
    if (thrown instanceof AppError) return { kind: "failed", error: { kind: "protocol", message: thrown.message } };
    return { kind: "failed", error: networkError(thrown, url) };
  }
};

const readAnswer = async (answer: HttpAnswer, maxBytes: number): Promise<JsonAnswer> => {
  const { status, headers } = answer;
  if (status === 304) return { kind: "unchanged" };
  if (status < 200 || status >= 300) {
    return { kind: "refused", status, headers, body: await readBeginning(answer.body, MAX_ERROR_BYTES) };
  }
  const pieces: Uint8Array[] = [];
  for await (const bytes of boundBody(answer.body, maxBytes)) pieces.push(bytes);
  const value = parseJson(Buffer.concat(pieces).toString("utf8"));
  if (value !== undefined) return { kind: "json", value, headers };
  return { kind: "failed", error: { kind: "protocol", status, message: "the answer is not JSON" } };
};

const tooSlow = (url: string, ms: number): ProviderError => ({
  kind: "timeout",
  message: `${new URL(url).host} did not answer within ${ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`}`,
});
