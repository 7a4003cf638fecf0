import { createHash } from "node:crypto";
import * as z from "zod";
import type { OpaquePart } from "../../message.ts";
import type { WireTarget } from "../wire.ts";

/**
 * What this wire keeps for its provider's eyes only. `reasoning` closes the reasoning part that stands directly before it: its
 * signature is good for exactly the text of that digest, so that a text which was masked since then is never sent under it.
 * `verbatim` is a whole block as it came: redacted reasoning, and what the provider's own tools did.
 */
const opaqueData = z.discriminatedUnion("block", [
  z.object({ block: z.literal("reasoning"), signature: z.string(), textSha256: z.string() }),
  z.object({ block: z.literal("verbatim"), value: z.record(z.string(), z.unknown()) }),
]);

/** The data of an opaque part of this wire. */
export type ConverseOpaqueData = z.infer<typeof opaqueData>;

/** The digest that ties a signature to the reasoning it was made for. */
export const digestOf = (reasoning: string): string => createHash("sha256").update(reasoning).digest("base64url");

/** Makes the part that goes back to `target` alone. */
export const opaquePart = (target: WireTarget, data: ConverseOpaqueData): OpaquePart => ({
  type: "opaque",
  wire: "bedrock_converse",
  provider: target.provider,
  model: target.model,
  data,
});

/** The data of a part that `target` itself sent; undefined for another provider's, model's or wire's. */
export const opaqueDataFor = (part: OpaquePart, target: WireTarget): ConverseOpaqueData | undefined => {
  if (part.wire !== "bedrock_converse") return undefined;
  if (part.provider !== target.provider || part.model !== target.model) return undefined;
  const data = opaqueData.safeParse(part.data);
  return data.success ? data.data : undefined;
};
