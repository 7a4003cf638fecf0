import type { WireId } from "../message.ts";
import type { ProviderRow } from "./provider-row.ts";

/** What decides (compat 4.1): the configured format, else the provider's, else the address's. */
export interface WireFacts {
  readonly explicit: WireId | undefined;
  readonly row: ProviderRow | undefined;
  readonly baseUrl: string;
}

/** Which wire an endpoint is spoken to with. */
export const selectWire = ({ explicit, row, baseUrl }: WireFacts): WireId => {
  if (explicit !== undefined) return explicit;
  if (row === undefined || row.wire === "by_url") return wireOfUrl(baseUrl);
  const byPath = row.pathWires?.find(({ path }) => path.test(baseUrl));
  if (byPath !== undefined) return byPath.wire;
  // A built-in provider behind another address (a proxy of the owner's) speaks what that address tells.
  const elsewhere = row.baseUrl !== undefined && row.baseUrl !== baseUrl;
  return elsewhere && (row.wire === "chat_completions" || row.speaksChat === true) ? wireOfUrl(baseUrl) : row.wire;
};

const wireOfUrl = (baseUrl: string): WireId => {
  if (!URL.canParse(baseUrl)) return "chat_completions";
  const { hostname, pathname } = new URL(baseUrl);
  if (hostname === "api.openai.com" || hostname === "api.x.ai") return "codex_responses";
  if (/\/anthropic(?:\/v1)?\/?$/.test(pathname)) return "anthropic_messages";
  if (hostname === "api.kimi.com" && /\/coding(?:\/|$)/.test(pathname)) return "anthropic_messages";
  if (hostname === "generativelanguage.googleapis.com" && !/\/openai(?:\/|$)/.test(pathname)) return "gemini";
  return "chat_completions";
};
