import * as z from "zod";
import type { AssistantPart, OpaquePart } from "../../message.ts";
import type { WireTarget } from "../wire.ts";

/**
 * What this wire keeps for its provider's eyes only: OpenRouter's `reasoning_details` of an answer (signatures, encrypted
 * items), and the `extra_content` beside a tool call (Gemini's thought signatures).
 */
const opaqueData = z.discriminatedUnion("field", [
  z.object({ field: z.literal("reasoning_details"), value: z.array(z.unknown()) }),
  z.object({ field: z.literal("extra_content"), callId: z.string(), value: z.unknown() }),
]);

/** The data of an opaque part of this wire. */
export type ChatOpaqueData = z.infer<typeof opaqueData>;

/** Makes the part that goes back to `target` alone. */
export const opaquePart = (target: WireTarget, data: ChatOpaqueData): OpaquePart => ({
  type: "opaque",
  wire: "chat_completions",
  provider: target.provider,
  model: target.model,
  data,
});

/** The opaque data that `target` itself sent; another provider's or model's is nothing to it. */
export const opaqueDataFor = (parts: readonly AssistantPart[], target: WireTarget): readonly ChatOpaqueData[] =>
  parts.flatMap((part) => {
    if (part.type !== "opaque" || part.wire !== "chat_completions") return [];
    if (part.provider !== target.provider || part.model !== target.model) return [];
    const data = opaqueData.safeParse(part.data);
    return data.success ? [data.data] : [];
  });
