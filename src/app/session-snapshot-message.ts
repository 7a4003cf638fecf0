import type { ImagePart, Message, TextPart } from "../llm/message.ts";

/** Bytes of an image by their hash; undefined = they are gone. */
export type ReadImage = (hash: string) => Promise<Uint8Array | undefined>;

/** A message in the shape of the existing system's snapshots (compat §3.7): that of chat completions. */
export const snapshotMessage = async (message: Message, readImage: ReadImage): Promise<Record<string, unknown>> => {
  switch (message.role) {
    case "user":
      return { role: "user", content: await contentOf(message.parts, readImage) };
    case "tool": {
      const [{ callId, name, content }] = message.parts;
      return { role: "tool", tool_call_id: callId, tool_name: name, content: await contentOf(content, readImage) };
    }
    case "assistant": {
      const text = message.parts.flatMap((part) => (part.type === "text" ? [part] : []));
      const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n");
      const calls = message.parts.flatMap((part) =>
        part.type === "tool_call"
          ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } }]
          : [],
      );
      return {
        role: "assistant",
        content: await contentOf(text, readImage),
        ...(reasoning === "" ? {} : { reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        finish_reason: message.finish,
      };
    }
  }
};

/** One string where there is only text, else a list of parts. */
const contentOf = async (parts: readonly (TextPart | ImagePart)[], readImage: ReadImage): Promise<unknown> => {
  if (parts.every((part) => part.type === "text")) return parts.map(({ text }) => text).join("");
  const content: unknown[] = [];
  for (const part of parts) content.push(part.type === "text" ? part : await imageOf(part, readImage));
  return content;
};

const imageOf = async ({ hash, mediaType }: ImagePart, readImage: ReadImage): Promise<unknown> => {
  const bytes = await readImage(hash);
  if (bytes === undefined) return { type: "text", text: `[image ${mediaType}]` };
  const url = `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`;
  return { type: "image_url", image_url: { url } };
};
