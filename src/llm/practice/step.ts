import type { ToolResultPart } from "../message.ts";

/** One thing to do, as the practice model understood it. */
export type Step =
  /** A real tool call. `doing` is said before it, `did` introduces its result. */
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly doing: string;
      readonly did: string;
    }
  /** Something to say. */
  | { readonly kind: "say"; readonly text: string }
  /** Words that no rule fits. */
  | { readonly kind: "unknown"; readonly words: string };

/** Makes a call step. */
export const callStep = (
  tool: string,
  args: Readonly<Record<string, unknown>>,
  words: { readonly doing: string; readonly did: string },
): Step => ({ kind: "call", tool, arguments: args, ...words });

/** A step that calls a tool. */
export type CallStep = Extract<Step, { kind: "call" }>;

/** What was asked last, and what has been done about it. `results` are of the first call steps, in order. */
export interface Turn {
  readonly request: string;
  readonly steps: readonly Step[];
  readonly results: readonly (ToolResultPart | undefined)[];
}
