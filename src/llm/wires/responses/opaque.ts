import * as z from "zod";
import type { AssistantPart, OpaquePart } from "../../message.ts";
import type { WireTarget } from "../wire.ts";

/**
 * What this wire keeps for its provider's eyes only. `reasoning`: the encrypted content of one reasoning item, in the place
 * where the item stood; its readable summary is kept as reasoning, where it can be masked. `message`: the phase that the
 * provider gave to the message that follows (commentary, final answer).
 */
const opaqueData = z.discriminatedUnion("item", [
  z.object({ item: z.literal("reasoning"), encrypted: z.string() }),
  z.object({ item: z.literal("message"), phase: z.string() }),
]);

/** The data of an opaque part of this wire. */
export type ResponsesOpaqueData = z.infer<typeof opaqueData>;

/** Makes the part that goes back to `target` alone. */
export const opaquePart = (target: WireTarget, data: ResponsesOpaqueData): OpaquePart => ({
  type: "opaque",
  wire: "codex_responses",
  provider: target.provider,
  model: target.model,
  data,
});

/** What `target` itself put into a part; undefined for any other part, and for another provider's or model's. */
export const opaqueDataFor = (part: AssistantPart, target: WireTarget): ResponsesOpaqueData | undefined => {
  if (part.type !== "opaque" || part.wire !== "codex_responses") return undefined;
  if (part.provider !== target.provider || part.model !== target.model) return undefined;
  const data = opaqueData.safeParse(part.data);
  return data.success ? data.data : undefined;
};
