import { createHash } from "node:crypto";
import * as z from "zod";
import type { OpaquePart } from "../../message.ts";
import type { WireTarget } from "../wire.ts";

/**
 * What this wire keeps for its provider's eyes only. `signed` is the thought signature of the part that ends directly before it:
 * of the last `length` UTF-16 units of a text or thought (0 = a part without text that carried nothing else), or of a call's
 * arguments. It is sent on exactly what has that digest, so what was masked since then never goes out under it. `verbatim` is a
 * whole part as it came: code that the provider ran, calls of its own tools.
 */
const opaqueData = z.discriminatedUnion("part", [
  z.object({
    part: z.literal("signed"),
    of: z.enum(["text", "thought", "call"]),
    length: z.number().int().min(0),
    sha256: z.string(),
    signature: z.string(),
  }),
  z.object({ part: z.literal("verbatim"), value: z.record(z.string(), z.unknown()) }),
]);

/** The data of an opaque part of this wire. */
export type GeminiOpaqueData = z.infer<typeof opaqueData>;

/** The signature of one part. */
export type Signed = Extract<GeminiOpaqueData, { part: "signed" }>;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Ties a signature to the text that it stands on; undefined for a text that cannot be written down exactly. */
export const signedData = (of: Signed["of"], text: string, signature: string): Signed | undefined =>
  text.isWellFormed() ? { part: "signed", of, length: text.length, sha256: digestOf(text), signature } : undefined;

/** Whether `text` is what was signed, to the letter. */
export const isSignedText = (text: string, { length, sha256 }: Signed): boolean =>
  text.length === length && digestOf(text) === sha256;

/** Makes the part that goes back to the models of `target`'s family alone. */
export const opaquePart = (target: WireTarget, data: GeminiOpaqueData): OpaquePart => ({
  type: "opaque",
  wire: "gemini",
  provider: target.provider,
  model: target.model,
  data,
});

/** The data of a part that a model of `target`'s own family sent; undefined for any other part. */
export const opaqueDataFor = (part: OpaquePart, target: WireTarget): GeminiOpaqueData | undefined => {
  if (part.wire !== "gemini" || part.provider !== target.provider) return undefined;
  if (familyOf(part.model) !== familyOf(target.model)) return undefined;
  const data = opaqueData.safeParse(part.data);
  return data.success ? data.data : undefined;
};

/** Models of one version read one another's signatures, whatever their size; of a name without a version, only itself. */
const familyOf = (model: string): string => /\bgemini-\d+(?:\.\d+)?(?![\d.])/i.exec(model)?.[0].toLowerCase() ?? model;
