import * as z from "zod";

/** How an answer goes wrong. `afterPieces` counts the streamed events that are sent properly before. */
const misbehaviour = z.discriminatedUnion("kind", [
  /** Status 200, nothing in the body. */
  z.strictObject({ kind: z.literal("empty_body") }),
  /** Nothing but the end mark. */
  z.strictObject({ kind: z.literal("only_done") }),
  /** `count` comment lines, then the end of the body. */
  z.strictObject({ kind: z.literal("keep_alives"), count: z.int().positive() }),
  /** A `data:` line with this JSON in the middle of a stream that began well. */
  z.strictObject({ kind: z.literal("error_in_stream"), error: z.unknown(), afterPieces: z.int().default(1) }),
  /** The body ends early, as if whole: no finish, no end mark. */
  z.strictObject({ kind: z.literal("cut"), afterPieces: z.int().default(1) }),
  /** The connection is reset. */
  z.strictObject({ kind: z.literal("reset"), afterPieces: z.int().default(1) }),
  /** No head is ever sent. */
  z.strictObject({ kind: z.literal("hang") }),
  /** The stream begins and then stays silent. */
  z.strictObject({ kind: z.literal("hang_in_stream"), afterPieces: z.int().default(1) }),
  /** The stream is whole but the connection stays open after the finish, without an end mark. */
  z.strictObject({ kind: z.literal("stays_open") }),
  /** Text without end, as fast as it is read. */
  z.strictObject({ kind: z.literal("endless") }),
  /** A body given byte for byte. */
  z.strictObject({
    kind: z.literal("raw"),
    body: z.union([z.string(), z.instanceof(Uint8Array)]),
    contentType: z.string().default("text/event-stream"),
  }),
]);

const toolCall = z.strictObject({
  id: z.string().optional(),
  name: z.string(),
  /** A text is sent as it is, in two pieces when streamed; an object as its JSON. */
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
});

const usage = z.strictObject({
  prompt: z.int(),
  completion: z.int(),
  cached: z.int().optional(),
  reasoning: z.int().optional(),
});

/** One scripted answer, as a JSON script holds it. All members are optional: `{}` answers an empty text. */
export const scriptedAnswer = z.strictObject({
  text: z.union([z.string(), z.array(z.string())]).optional(),
  reasoning: z.union([z.string(), z.array(z.string())]).optional(),
  /** Where the reasoning stands: its own field, or `<think>` tags in the content. */
  reasoningIn: z.enum(["reasoning_content", "reasoning", "think_tags"]).default("reasoning_content"),
  toolCalls: z.array(toolCall).default([]),
  /** All calls are streamed under index 0. */
  sharedIndex: z.boolean().default(false),
  refusal: z.string().optional(),
  /** What the provider counts; absent = simulated from the sizes, with a prompt cache; "none" = nothing is sent. */
  usage: z.union([usage, z.literal("none")]).optional(),
  /** `finish_reason`; absent = the fitting one; null = none. */
  finish: z.string().nullable().optional(),
  /** Another status than 200: `body` (or an error object) is sent with it. */
  status: z.int().default(200),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  misbehave: misbehaviour.optional(),
  /** Cuts every write into pieces of this many bytes. */
  bytesPerWrite: z.int().positive().optional(),
  lineEnd: z.enum(["\n", "\r\n", "\r"]).default("\n"),
});

/** An answer with every default filled in. */
export type CompleteAnswer = z.output<typeof scriptedAnswer>;

/** An answer as a test writes it. */
export type ScriptedAnswer = z.input<typeof scriptedAnswer> & {
  /**
   * Waited for before each streamed event (`piece` counts from 0) and before the head of an answer that is not streamed
   * (piece 0), so that a test decides when what arrives.
   */
  readonly gate?: (piece: number) => Promise<void>;
};

/** A script file: the answers in the order of the requests. */
export const scriptFile = z.array(scriptedAnswer);

/** One request as it arrived. */
export interface RecordedRequest {
  readonly path: string;
  /** The client's port: equal for requests that came over one connection. */
  readonly remotePort: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes as text. */
  readonly rawBody: string;
  /** The body's JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}
