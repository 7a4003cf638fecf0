import { BUILT_WIRES } from "../../config/wire-ids.ts";
import type { BuiltWireId, WireId } from "../message.ts";
import type { ProviderRow } from "./provider-row.ts";

/** Whether this version has a wire. */
export const isBuilt = (wire: WireId): wire is BuiltWireId => BUILT_WIRES.some((built) => built === wire);

/** Which wire an endpoint is spoken to with. */
export type WireChoice =
  | { readonly kind: "wire"; readonly wire: BuiltWireId }
  | { readonly kind: "not_built"; readonly wire: WireId };

/** What decides (compat 4.1): the configured format, else the provider's, else the address's. */
export interface WireFacts {
  readonly explicit: WireId | undefined;
  readonly row: ProviderRow | undefined;
  readonly baseUrl: string;
}

/** The first wire of the endpoint that is built. */
export const selectWire = (facts: WireFacts): WireChoice => {
  const spoken = spokenWires(facts);
  const built = spoken.find(isBuilt);
  if (built !== undefined) return { kind: "wire", wire: built };
  return { kind: "not_built", wire: spoken[0] ?? "chat_completions" };
};

const spokenWires = ({ explicit, row, baseUrl }: WireFacts): readonly WireId[] => {
  if (explicit !== undefined) return [explicit];
  if (row === undefined || row.wire === "by_url") return wiresOfUrl(baseUrl);
  const byPath = row.pathWires?.find(({ path }) => path.test(baseUrl));
  if (byPath !== undefined) return [byPath.wire];
  // A built-in provider behind another address (a proxy of the owner's) speaks what that address tells.
  const spoken = [row.wire, ...(row.alsoSpeaks ?? [])];
  const elsewhere = row.baseUrl !== undefined && row.baseUrl !== baseUrl;
  return elsewhere && spoken.includes("chat_completions") ? wiresOfUrl(baseUrl) : spoken;
};

const wiresOfUrl = (baseUrl: string): readonly WireId[] => {
  if (!URL.canParse(baseUrl)) return ["chat_completions"];
  const { hostname, pathname } = new URL(baseUrl);
  if (hostname === "api.openai.com" || hostname === "api.x.ai") return ["codex_responses", "chat_completions"];
  if (/\/anthropic(?:\/v1)?\/?$/.test(pathname)) return ["anthropic_messages"];
  if (hostname === "api.kimi.com" && /\/coding(?:\/|$)/.test(pathname)) return ["anthropic_messages"];
  if (hostname === "generativelanguage.googleapis.com" && !/\/openai(?:\/|$)/.test(pathname)) return ["gemini"];
  return ["chat_completions"];
};
