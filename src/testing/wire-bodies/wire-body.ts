import type { FinishReason, WireId } from "../../llm/message.ts";
import type { ModelTarget } from "../../llm/model-target.ts";

/** A tool call as a model says it; `arguments` is JSON text. */
export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a model says in one answer, whatever the format. `signature` closes the reasoning where the format signs. */
export interface Said {
  readonly reasoning?: string;
  readonly signature?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly calls?: readonly SaidCall[];
  readonly finish: FinishReason;
}

/** Tokens that every answer of these bodies counts. */
export const COUNTED = { input: 120, output: 9 } as const;

/** One event of a stream. `says` = it adds to the answer; of the others a server may send any twice. */
export interface StreamPiece {
  readonly bytes: Uint8Array;
  readonly says: boolean;
}

/** A failure as a provider tells it. */
export interface ToldFailure {
  readonly status: number;
  readonly message: string;
}

/** How one format's servers write. Real bytes, not made by the code under test. */
export interface WireBodies {
  readonly wire: WireId;
  /** What is settled about its model, but for the address. */
  readonly target: Partial<ModelTarget>;
  /** What follows `http://host:port` in its base URL. */
  readonly path: string;
  readonly streamType: string;
  /** An answer as a stream, one element per event; `change` is put over the JSON of each event before it is framed. */
  stream(said: Said, change?: (json: Uint8Array) => Uint8Array): readonly StreamPiece[];
  /** An answer that comes at once. */
  plain(said: Said): string;
  /** What says in a stream that the connection lives, and nothing else. */
  readonly keepAlives: readonly Uint8Array[];
  /** The marks of an end without an answer. */
  readonly bareEnd: Uint8Array;
  /** An error in the middle of a stream. */
  errorEvent(failure: ToldFailure): Uint8Array;
  /** The body and headers of an answer with another status than 200. */
  failure(failure: ToldFailure): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

type Json = Readonly<Record<string, unknown>>;

/** The bytes of a text. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A text in pieces of a word, as models stream it. */
export const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? [];

/** A text in two pieces, as arguments are streamed. */
export const halvesOf = (text: string): readonly string[] => {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
};

/** A server-sent event with JSON as its data. */
export const sseEvent = (
  value: Json,
  {
    name,
    change = (json) => json,
  }: { readonly name?: string; readonly change?: (json: Uint8Array) => Uint8Array } = {},
): Uint8Array =>
  Buffer.concat([
    bytesOf(`${name === undefined ? "" : `event: ${name}\n`}data: `),
    change(bytesOf(JSON.stringify(value))),
    bytesOf("\n\n"),
  ]);
