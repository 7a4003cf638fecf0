import type { ImagePart, Message, TextPart, ToolResultPart, UserMessage } from "../../message.ts";
import type { JsonText } from "../json-text.ts";
import type { ImageLookup, WireTarget } from "../wire.ts";
import { encodeModelParts } from "./encode-model.ts";
import { createOpenCalls, type OpenCalls, type SentCall } from "./open-calls.ts";

/** What messages are encoded with. */
export interface Encoding {
  readonly target: WireTarget;
  readonly images: ImageLookup;
}

interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly JsonText[];
}

/** Stands before a conversation that begins with an answer: the API wants a user's word first. */
const OPENING = "(the conversation goes on)";

/** Media types that the API takes. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]);

/** A text part. */
const textPart = (text: string): JsonText => JSON.stringify({ text: text.toWellFormed() });

/**
 * Encodes a conversation; each content depends on earlier messages only, so a longer conversation begins with the shorter one's
 * bytes (R-PROMPT-3). All results of one answer stand in one content, exactly one for each call and in the order of the calls; a
 * call must directly follow a user's content, so answers in a row are one content.
 */
export const encodeContents = (messages: readonly Message[], encoding: Encoding): readonly JsonText[] => {
  const calls = createOpenCalls();
  const contents: Content[] = [];
  let results: ToolResultPart[] = [];
  const add = (role: Content["role"], parts: readonly JsonText[]): void => {
    const last = contents.at(-1);
    if (parts.length === 0) return;
    if (role === "user" || last?.role !== "model") contents.push({ role, parts });
    else contents.splice(-1, 1, { role, parts: [...last.parts, ...parts] });
  };
  const settleResults = (): void => {
    const { answered, strays } = encodeResults(results, { ...encoding, calls });
    add("user", answered);
    add("user", strays);
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(message.parts[0]);
      continue;
    }
    settleResults();
    if (message.role === "user") add("user", encodeUser(message, encoding));
    else {
      if (contents.length === 0) add("user", [textPart(OPENING)]);
      add("model", encodeModelParts(message, { target: encoding.target, calls }));
    }
  }
  settleResults();
  return contents.map(({ role, parts }) => `{"role":"${role}","parts":[${parts.join(",")}]}`);
};

const encodeUser = ({ parts, contextLine }: UserMessage, encoding: Encoding): readonly JsonText[] => {
  const all = contextLine === undefined ? parts : [...parts, { type: "text", text: contextLine } as const];
  const encoded = encodeParts(all, encoding);
  return encoded.length === 0 ? [textPart("(empty message)")] : encoded;
};

const encodeParts = (parts: readonly (TextPart | ImagePart)[], encoding: Encoding): readonly JsonText[] =>
  parts.flatMap((part) => {
    if (part.type === "image") return [imagePart(part, encoding)];
    return part.text.trim() === "" ? [] : [textPart(part.text)];
  });

const imagePart = (image: ImagePart, encoding: Encoding): JsonText => {
  const data = inlineData(image, encoding);
  return data.kind === "data" ? data.part : textPart(data.note);
};

type Inline = { readonly kind: "data"; readonly part: JsonText } | { readonly kind: "none"; readonly note: string };

const inlineData = ({ hash, mediaType }: ImagePart, { images }: Encoding): Inline => {
  const data = images(hash);
  if (data === undefined) return { kind: "none", note: `[an image (${mediaType}) stood here; its bytes are gone]` };
  if (!IMAGE_TYPES.has(mediaType)) {
    return { kind: "none", note: `[an image (${mediaType}) stood here, of a kind that cannot be sent]` };
  }
  return { kind: "data", part: JSON.stringify({ inlineData: { mimeType: mediaType, data } }) };
};

interface ResultContext extends Encoding {
  readonly calls: OpenCalls;
}

interface EncodedResults {
  readonly answered: readonly JsonText[];
  readonly strays: readonly JsonText[];
}

const encodeResults = (results: readonly ToolResultPart[], context: ResultContext): EncodedResults => {
  const { answered, strays } = context.calls.settle(results);
  return {
    answered: [
      ...answered.map(({ call, result }) => encodeResult(call, result, context)),
      ...answered.flatMap(({ call, result }) => encodeShown(call, result, context)),
    ],
    strays: strays.flatMap((result) => [
      textPart(`[a result of ${result.name} (call ${result.callId}) without its call]`),
      ...encodeParts(result.content, context),
    ]),
  };
};

/** Whether a result's images stand inside it; the older models read them only beside it. */
const holdsImages = ({ target }: Encoding): boolean => target.quirks.imagesInResults === true;

const imagesOf = (result: ToolResultPart | undefined): readonly ImagePart[] =>
  (result?.content ?? []).filter((part) => part.type === "image");

const encodeResult = (call: SentCall, result: ToolResultPart | undefined, encoding: Encoding): JsonText => {
  const images = holdsImages(encoding) ? imagesOf(result).map((image) => inlineData(image, encoding)) : [];
  const inside = images.flatMap((image) => (image.kind === "data" ? [image.part] : []));
  const notes = images.flatMap((image) => (image.kind === "none" ? [image.note] : []));
  const response = responseOf(result, notes);
  const head = JSON.stringify({ ...call, response });
  const whole = inside.length === 0 ? head : `${head.slice(0, -1)},"parts":[${inside.join(",")}]}`;
  return `{"functionResponse":${whole}}`;
};

const responseOf = (result: ToolResultPart | undefined, notes: readonly string[]): Readonly<Record<string, string>> => {
  if (result === undefined) return { error: "(no result was recorded)" };
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const text = [...texts, ...notes].join("\n").toWellFormed();
  const standIn = imagesOf(result).length > 0 ? "(the image follows)" : "(no output)";
  return { [result.outcome === "ok" ? "output" : "error"]: text.trim() === "" ? standIn : text };
};

const encodeShown = (call: SentCall, result: ToolResultPart | undefined, encoding: Encoding): readonly JsonText[] => {
  const images = imagesOf(result);
  if (holdsImages(encoding) || images.length === 0) return [];
  return [textPart(`Image from ${call.name} (call ${call.id}):`), ...images.map((image) => imagePart(image, encoding))];
};
