import type { WireId } from "./message.ts";

/** Prices per million tokens in US dollars. A price that nobody stated is absent, never 0. */
export interface ModelPrice {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** What a whole request costs whose input is longer than `above` tokens, the lowest bound first. */
  readonly tiers?: readonly PriceTier[];
}

/** The prices of long requests. */
export interface PriceTier extends Omit<ModelPrice, "tiers"> {
  readonly above: number;
}

/** What a model can do and takes; a member that nobody stated is absent. */
export interface ModelAbilities {
  readonly tools?: boolean;
  readonly images?: boolean;
  readonly reasoning?: boolean;
  readonly temperature?: boolean;
}

/** What is known of a model before it is called. */
export interface ModelInfo {
  readonly provider: string;
  readonly model: string;
  readonly wire: WireId | "practice";
  /** Tokens that fit a request and its answer together. */
  readonly contextWindow: number;
  readonly contextWindowFrom: "config" | "catalogue" | "endpoint" | "assumed";
  readonly maxOutputTokens?: number;
  readonly price?: ModelPrice;
  readonly abilities?: ModelAbilities;
}
