import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { ProviderErrorKind } from "../../llm/provider-error.ts";
import type { Said, WireBodies } from "../wire-bodies/wire-body.ts";

/** Whether the answer was asked for as a stream or at once. */
export type Mode = "streamed" | "at once";

/** One request, and what a hazard answers it with. */
export interface Exchange {
  /** Counts from 1. */
  readonly number: number;
  readonly mode: Mode;
  readonly bodies: WireBodies;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client's clock. */
  readonly clock: Clock;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** From here on only time passes: the test moves its clock until the call ends or another request comes. */
  silent(): void;
  /** Resolves when the client has taken something more of the answer. */
  taken(): Promise<void>;
  /** Ends the call from the caller's side. */
  abort(): void;
}

/** How a call must end. `waits` = what was waited between the requests, in milliseconds. */
export type Ending = {
  readonly requests: number;
  readonly waits?: readonly number[];
} & (
  | { readonly kind: "answer"; readonly said?: Said }
  | { readonly kind: "aborted" }
  | { readonly kind: ProviderErrorKind; readonly says: RegExp }
);

/** One way in which a provider, a proxy or a network misbehaves. */
export interface Hazard {
  readonly name: string;
  /** Absent = both. */
  readonly modes?: readonly Mode[];
  /** How long the whole call may take, in milliseconds; absent = half an hour. */
  readonly requestTimeoutMs?: number;
  play(exchange: Exchange): void | Promise<void>;
  readonly ends: Ending | ((bodies: WireBodies, mode: Mode) => Ending);
}

/** What the model says wherever a hazard lets it come through. */
export const WHOLE: Said = {
  reasoning: "Two files are wanted.",
  signature: "c2lnbmF0dXJlLW9mLXRoZS1tb2RlbA==",
  text: "It is 日🦜: reading both.",
  calls: [
    { id: "call_one", name: "read_file", arguments: '{"path":"a.txt"}' },
    { id: "call_two", name: "read_file", arguments: '{"path":"b.txt","lines":[1,20]}' },
  ],
  finish: "tool_calls",
};

/** The head of a good answer. */
export const sendHead = (
  { response, bodies, mode }: Exchange,
  headers: Readonly<Record<string, string | number>> = {},
): void => {
  const type = mode === "streamed" ? bodies.streamType : "application/json";
  response.writeHead(200, { "content-type": type, ...headers });
  response.flushHeaders();
};

/** The bytes of an answer in the mode that was asked for, in pieces as a server writes them. */
export const piecesOf = ({ bodies, mode }: Pick<Exchange, "bodies" | "mode">, said: Said): readonly Uint8Array[] =>
  mode === "streamed" ? bodies.stream(said).map(({ bytes }) => bytes) : [Buffer.from(bodies.plain(said))];

/** The whole body of an answer. */
export const bodyOf = (exchange: Pick<Exchange, "bodies" | "mode">, said: Said = WHOLE): Buffer =>
  Buffer.concat(piecesOf(exchange, said));

/** Answers well. */
export const answer = (exchange: Exchange, said: Said = WHOLE): void => {
  sendHead(exchange);
  exchange.response.end(bodyOf(exchange, said));
};

/** Answers a failure in the provider's own form. */
export const refuse = (
  { response, bodies }: Exchange,
  failure: { readonly status: number; readonly message: string },
  headers: Readonly<Record<string, string>> = {},
): void => {
  const told = bodies.failure(failure);
  response.writeHead(failure.status, { "content-type": "application/json", ...told.headers, ...headers });
  response.end(told.body);
};

/** Plays one thing first and answers well from the second request on. */
export const once =
  (play: Hazard["play"]): Hazard["play"] =>
  (exchange) =>
    exchange.number === 1 ? play(exchange) : answer(exchange);

/** Resolves when the client has gone; a hanging server waits for nothing else. */
export const untilGone = (gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
