import type { ModelAbilities, ModelPrice } from "../../model-info.ts";

/** A model as its own endpoint lists it. What the endpoint does not say is absent. */
export interface DiscoveredModel {
  readonly name: string;
  /** The window that requests get now, in tokens. */
  readonly contextWindow?: number;
  /** The window that the model could have, were it loaded with it. */
  readonly largestWindow?: number;
  readonly maxOutputTokens?: number;
  readonly abilities: ModelAbilities;
  readonly price?: ModelPrice;
  /** Whether a local server holds it in memory. */
  readonly loaded?: boolean;
}

/** The programs that serve models on a person's own machine. */
export type LocalServerKind = "ollama" | "lmstudio" | "llamacpp" | "vllm" | "other";

/** What people call them. */
export const LOCAL_SERVER_LABELS: Readonly<Record<LocalServerKind, string>> = {
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
  other: "a server of the chat-completions format",
};

/** Models that are taken of one endpoint at most. */
export const MAX_DISCOVERED = 2_000;
