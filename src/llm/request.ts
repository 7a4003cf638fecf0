import type { Message } from "./message.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";

/** A tool as the model sees it. `parameters` is a JSON Schema object. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What is asked of a model, before any wire has encoded it. Estimates are made from this, never from encoded bytes. */
export interface LlmRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Upper bound for the answer, in tokens; absent = the provider's own. */
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: ReasoningEffort;
  readonly temperature?: number;
}
