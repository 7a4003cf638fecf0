import { asList, asRecord, asText } from "../json-fields.ts";

/** Gathers the `reasoning_details` of an answer, which arrive in pieces. */
export interface ReasoningDetails {
  add(details: unknown): void;
  /** The whole list in the order and form in which the provider wants it back; undefined where it holds nothing signed. */
  signed(): readonly unknown[] | undefined;
}

/** The readable text of one `reasoning_details` list. */
export const textOfDetails = (details: unknown): string =>
  asList(details)
    .map((detail) => asText(asRecord(detail)?.text) ?? asText(asRecord(detail)?.summary) ?? "")
    .join("");

type Fields = Readonly<Record<string, unknown>>;

const JOINED_FIELDS = ["text", "summary", "data", "signature"] as const;

/** A piece of the same item: pieces carry its index and type, and add to its texts. */
const continues = (last: Fields | undefined, piece: Fields): last is Fields =>
  last !== undefined && typeof piece.index === "number" && last.index === piece.index && last.type === piece.type;

const joined = (last: Fields, piece: Fields): Fields => {
  const merged: Record<string, unknown> = { ...last, ...piece };
  for (const field of JOINED_FIELDS) {
    const before = asText(last[field]);
    if (before !== undefined) merged[field] = before + (asText(piece[field]) ?? "");
  }
  return merged;
};

const isSigned = (fields: Fields): boolean =>
  asText(fields.signature) !== undefined || asText(fields.data) !== undefined;

/** Starts an empty gathering. */
export const createReasoningDetails = (): ReasoningDetails => {
  const items: Fields[] = [];
  return {
    add: (details) => {
      for (const detail of asList(details)) {
        const piece = asRecord(detail);
        if (piece === undefined) continue;
        const last = items.at(-1);
        if (continues(last, piece)) items[items.length - 1] = joined(last, piece);
        else items.push(piece);
      }
    },
    // Without a signature nothing is lost by leaving it out: the text is kept as reasoning.
    signed: () => (items.some(isSigned) ? items : undefined),
  };
};
