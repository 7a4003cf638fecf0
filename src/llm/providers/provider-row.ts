import type { WireId } from "../message.ts";
import type { ProviderQuirks } from "../wires/wire.ts";

/** How a provider knows its callers. `external_process` = by a program of its own, which this version cannot start. */
export type ProviderAuth = "api_key" | "none" | "oauth" | "external_process" | "aws";

/** Facts about the models whose names match. */
export interface ModelQuirks {
  readonly models: RegExp;
  readonly quirks: ProviderQuirks;
}

/** One built-in provider. */
export interface ProviderRow {
  readonly id: string;
  readonly label: string;
  readonly auth: ProviderAuth;
  /** Absent where every owner has an address of their own. */
  readonly baseUrl?: string;
  /** Variables that may hold the key, the first one that is set counts. */
  readonly keyEnv: readonly string[];
  /** Further hosts that are the provider's own, those of its other regions for one. */
  readonly hosts?: RegExp;
  /** Variable that replaces `baseUrl`. */
  readonly baseUrlEnv?: string;
  /** The wire of this provider; `by_url` = as the address tells. */
  readonly wire: WireId | "by_url";
  /** The provider speaks chat completions, too: what stands for it at another address may speak nothing else. */
  readonly speaksChat?: true;
  /** Paths at its address where another wire is spoken. */
  readonly pathWires?: readonly { readonly path: RegExp; readonly wire: WireId }[];
  readonly quirks: ProviderQuirks;
  /** What holds for some of its models, by their names. */
  readonly modelQuirks?: readonly ModelQuirks[];
  /** What holds for its models holds at every address where its wire is spoken: no others are there. */
  readonly modelsKnownAnywhere?: true;
  /** Keys with this beginning belong to another address. */
  readonly keyedBaseUrl?: { readonly keyPrefix: string; readonly baseUrl: string };
  /** A quick, cheap model for small tasks beside the conversation. */
  readonly smallModel?: string;
  /** Its models carry their maker in the name (`maker/model`). */
  readonly namesCarryMaker?: true;
  /** Its models' names have dashes where people and other hosts write dots (`claude-opus-4-5`). */
  readonly namesHaveDashes?: true;
}
