import { splitAtFences, type FenceName, type PromptPiece } from "./fence.ts";
import { MASKS } from "./system-prompt.ts";

/** A named part of a system prompt. */
export interface PromptPart {
  readonly name: string;
  readonly text: string;
}

/**
 * Cuts a stored system prompt into the parts that it was made of, in their order, for telling what each costs. A prompt that another
 * version made, or another program, is one part where its parts cannot be told apart.
 */
export const splitPrompt = (prompt: string): readonly PromptPart[] => {
  const pieces = splitAtFences(prompt);
  if (!prompt.includes(MASKS)) return pieces.map((piece) => nameOr(piece, "system prompt"));
  return pieces.flatMap((piece): readonly PromptPart[] =>
    piece.kind === "between" ? ownParagraphs(piece.text) : [nameOr(piece, "")],
  );
};

const BLOCK_NAMES: Readonly<Record<FenceName, string>> = {
  skills: "skills",
  project_instructions: "project instructions",
  memory: "memory",
  user_profile: "user profile",
};

const nameOr = (piece: PromptPiece, otherwise: string): PromptPart =>
  piece.kind === "between"
    ? { name: otherwise, text: piece.text }
    : { name: piece.file ?? BLOCK_NAMES[piece.name], text: piece.text };

/** Identity and owner's prompt are free texts; between them stand the rules, known by a sentence, and the place, by its first word. */
const ownParagraphs = (text: string): readonly PromptPart[] => {
  const paragraphs = text.split("\n\n");
  const rules = Math.max(
    paragraphs.findIndex((paragraph) => paragraph.includes(MASKS)),
    0,
  );
  const place = paragraphs.findIndex((paragraph, index) => index >= rules && paragraph.startsWith("System: "));
  const placeAt = place === -1 ? paragraphs.length : place;
  const part = (name: string, from: number, to: number): readonly PromptPart[] =>
    to > from ? [{ name, text: paragraphs.slice(from, to).join("\n\n") }] : [];
  return [
    ...part("identity", 0, rules),
    ...part("guidance", rules, placeAt),
    ...part("surroundings", placeAt, Math.min(placeAt + 1, paragraphs.length)),
    ...part("your instructions", placeAt + 1, paragraphs.length),
  ];
};
