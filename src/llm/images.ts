import type { ImagePart, Message } from "./message.ts";
import type { LlmRequest } from "./request.ts";
import type { ImageLookup } from "./wires/wire.ts";

/** Answers an image's bytes by its hash; undefined where they are gone. */
export type LoadImage = (hash: string) => Promise<Uint8Array | undefined>;

const imagesOf = (message: Message): readonly ImagePart[] =>
  message.parts.flatMap((part) => {
    if (part.type === "image") return [part];
    return part.type === "tool_result" ? part.content.filter((inner) => inner.type === "image") : [];
  });

/** Loads every image of a request once, so that encoding itself waits for nothing. Throws what `load` throws. */
export const loadImages = async ({ messages }: LlmRequest, load: LoadImage): Promise<ImageLookup> => {
  const loaded = new Map<string, string>();
  const hashes = new Set(messages.flatMap(imagesOf).map((image) => image.hash));
  for (const hash of hashes) {
    const bytes = await load(hash);
    if (bytes !== undefined) loaded.set(hash, Buffer.from(bytes).toString("base64"));
  }
  return (hash) => loaded.get(hash);
};
