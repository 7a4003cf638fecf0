import type { WireCredential } from "../credential.ts";
import type { WireEvent } from "../event.ts";
import type { WireId } from "../message.ts";
import type { ModelInfo } from "../model-info.ts";
import type { ProviderError } from "../provider-error.ts";
import type { LlmRequest } from "../request.ts";

/** Per-provider facts that change what a wire writes or reads. Data of the provider's row, never branches in a wire. */
export interface ProviderQuirks {
  /** Name of the field that bounds the answer; `max_tokens` unless the provider wants another. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The provider rejects assistant turns with tool calls that lack their reasoning text (B10). */
  readonly replaysReasoning?: boolean;
  /** The field in which `reasoning_effort` is sent; absent = not sent. The Responses format has one field of its own. */
  readonly reasoningField?: "reasoning_effort" | "reasoning";
  /** Responses format: a summary of the reasoning is asked for. */
  readonly reasoningSummary?: boolean;
  /** Responses format: the model's reasoning is asked for in encrypted form, to be sent back; others refuse the question. */
  readonly encryptedReasoning?: boolean;
  /** Responses format: the service wants instructions always, and refuses a bound of the answer and a temperature (ChatGPT's login). */
  readonly narrowRequest?: boolean;
  /** The provider does not know `stream_options.include_usage`. */
  readonly noStreamUsage?: boolean;
  /** The role of the system text. */
  readonly systemRole?: "system" | "developer";
  /** How a model of Anthropic's is asked to think: a number of tokens, or a word; the later ones know `xhigh` and no temperature. */
  readonly thinking?: "budget" | "effort" | "effort_xhigh";
  /** The provider of Anthropic's format wants the key as `authorization`, not as `x-api-key`. */
  readonly bearerKey?: boolean;
  /**
   * `automatic` = one member of a request of Anthropic's format marks what is cached; else the messages carry marks. Converse
   * format: `points` = behind the system text and the newest messages, `system_point` = behind the system text; else none.
   */
  readonly promptCache?: "automatic" | "points" | "system_point";
  /** Converse format: a model of Anthropic's that has to be asked to think between its calls; others refuse the question. */
  readonly thinksBetweenCalls?: boolean;
  /** Converse format: the model knows a mark of results that are errors; others may refuse it. */
  readonly resultStatus?: boolean;
  /** How a model of Google's is asked to think; absent = it is asked nothing. */
  readonly googleThinking?: GoogleThinking;
  /** A model of Google's that refuses its calls without their thought signatures. */
  readonly signedCalls?: boolean;
  /** The model reads images inside a tool's result (Google's and Converse formats). */
  readonly imagesInResults?: boolean;
  /** Google's Code Assist: the request stands in an envelope with the login's project. */
  readonly cloudCode?: boolean;
  /** Headers that every request to the provider carries. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The words for how much a model of Google's thinks, from least to most. */
export type GoogleThinkingLevel = "minimal" | "low" | "medium" | "high";

/** By a number of tokens, within the model's bounds; or by one of the words that the model knows, from least to most. */
export type GoogleThinking =
  | { readonly by: "budget"; readonly least: number; readonly most: number; readonly canBeOff: boolean }
  | { readonly by: "level"; readonly levels: readonly GoogleThinkingLevel[] };

/** Where and as whom a request goes. The credential travels in headers only. */
export interface WireTarget {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly credential: WireCredential;
  readonly quirks: ProviderQuirks;
  /** Added to the body as it is (`providers.<id>.extra_body`). */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  /** What is known of the model; its output limit bounds the answer where a format wants a bound and none is asked for. */
  readonly info?: Pick<ModelInfo, "maxOutputTokens">;
}

/** An encoded request. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads one header, its name in any case; null = not sent. A `Headers` object is one. */
export interface HeaderLookup {
  get(name: string): string | null;
}

/** The bytes of a conversation's images as base64, by hash, loaded before the request is encoded; undefined = lost. */
export type ImageLookup = (hash: string) => string | undefined;

/**
 * One HTTP format: encode, decode and classify, nothing else. Timeouts, retries, redaction and estimates live around it, once.
 * Must not throw for anything that a provider sends; must not keep state between calls.
 */
export interface Wire {
  readonly id: WireId;
  /** Same request, same target, same images: same bytes. An image that `images` lacks becomes a text note. */
  encode(request: LlmRequest, target: WireTarget, images?: ImageLookup): WireRequest;
  /**
   * Signs an encoded request, where the format is signed and not just carries a key. Called anew for each attempt, since a
   * signature holds for minutes only. `now` is ms UTC.
   */
  sign?(request: WireRequest, target: WireTarget, now: number): WireRequest;
  /**
   * Decodes a 2xx answer. `body` arrives in arbitrary cuts. `finish` comes as soon as the provider says it; `usage` may
   * follow it. Ends after `error`, at the end of the body, or at the format's own end mark; without `finish` and `error`
   * the stream was cut or empty. What reading `body` throws is passed on.
   */
  decode(
    body: AsyncIterable<Uint8Array>,
    context: { readonly target: WireTarget; readonly contentType: string },
  ): AsyncIterable<WireEvent>;
  /** Classifies a non-2xx answer. */
  classify(
    answer: { readonly status: number; readonly headers: HeaderLookup; readonly body: string },
    now: number,
  ): ProviderError;
}
