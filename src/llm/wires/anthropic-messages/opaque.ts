import { createHash } from "node:crypto";
import * as z from "zod";
import type { OpaquePart } from "../../message.ts";
import type { WireTarget } from "../wire.ts";

/**
 * What this wire keeps for its provider's eyes only. `thinking` closes the reasoning part that stands directly before it: its
 * signature is good for exactly the text of that digest, so that a text which was masked since then is never sent under it.
 * `verbatim` is a whole block as it came: redacted thinking, and blocks of the provider's own tools.
 */
const opaqueData = z.discriminatedUnion("block", [
  z.object({ block: z.literal("thinking"), signature: z.string().optional(), textSha256: z.string() }),
  z.object({ block: z.literal("verbatim"), value: z.record(z.string(), z.unknown()) }),
]);

/** The data of an opaque part of this wire. */
export type AnthropicOpaqueData = z.infer<typeof opaqueData>;

/** The digest that ties a signature to the thinking it was made for. */
export const digestOf = (thinking: string): string => createHash("sha256").update(thinking).digest("base64url");

/** Makes the part that goes back to `target` alone. */
export const opaquePart = (target: WireTarget, data: AnthropicOpaqueData): OpaquePart => ({
  type: "opaque",
  wire: "anthropic_messages",
  provider: target.provider,
  model: target.model,
  data,
});

/** The data of a part that `target` itself sent; undefined for another provider's, model's or wire's. */
export const opaqueDataFor = (part: OpaquePart, target: WireTarget): AnthropicOpaqueData | undefined => {
  if (part.wire !== "anthropic_messages") return undefined;
  if (part.provider !== target.provider || part.model !== target.model) return undefined;
  const data = opaqueData.safeParse(part.data);
  return data.success ? data.data : undefined;
};
