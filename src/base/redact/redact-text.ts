import { redactErrors } from "./errors.ts";
import { createFindSecrets } from "./find-secrets.ts";
import { createFindSettled } from "./find-settled.ts";
import { isAlphabet } from "./alphabet.ts";
import { withKnownSecrets, type NamedValue } from "./known-secrets.ts";
import { maskOf } from "./mask.ts";
import { createNameIndex } from "./name-verdict.ts";
import { PATTERNS } from "./patterns.ts";
import type { RedactPattern, Segment } from "./redact-pattern.ts";
import type { Redacted } from "./redacted.ts";
import { isNamedSecret } from "./scan-assignment.ts";
import type { SecretSpan } from "./secret-span.ts";
import { createTokenIndex } from "./token-index.ts";

/** Masks secrets in text. Made once, used everywhere; keeps nothing between calls. */
export interface Redactor {
  /** False = every method returns what it was given. */
  readonly enabled: boolean;
  /** The text with every secret replaced by its mask. Masking masked text changes nothing. */
  text(text: string): Redacted<string>;
  /** A field's value, where the name says that it is secret even if the value alone does not. */
  field(name: string, value: string): Redacted<string>;
  /** Where secrets stand, in order, from `from` on; what stands before is context only. Empty when not enabled. */
  find(text: string, from?: number): readonly SecretSpan[];
}

export interface RedactorOptions {
  /** `security.redact_secrets`. */
  readonly enabled: boolean;
  /** Rows of plugins' manifests, asked before the built-in ones. */
  readonly extraPatterns?: readonly RedactPattern[];
  /** The owner's variables and settings: the secrets among them are masked wherever they stand. */
  readonly ownValues?: readonly NamedValue[];
}

// The brand says that this module made the value; nothing else here may assert it.
const redacted = (text: string): Redacted<string> => text as Redacted<string>;

/** Replaces each span by its mask. Spans are in order and do not overlap. */
export const maskSpans = (text: string, spans: readonly SecretSpan[], from = 0): string => {
  const pieces: string[] = [];
  let at = from;
  for (const { start, end, kind } of spans) {
    pieces.push(text.slice(at, start), maskOf(kind, text.slice(start, end)));
    at = end;
  }
  return pieces.length === 0 && from === 0 ? text : `${pieces.join("")}${text.slice(at)}`;
};

const DISABLED: Redactor = { enabled: false, text: redacted, field: (_name, value) => redacted(value), find: () => [] };

const LONGEST_RUN = 8192;

const isSegment = (segment: Segment): boolean =>
  typeof segment === "string"
    ? segment !== ""
    : isAlphabet(segment.chars) &&
      segment.min >= 0 &&
      (segment.max ?? segment.min) >= segment.min &&
      (segment.max ?? 0) <= LONGEST_RUN;

const NAME_ROW = /^(?:\* )?[a-z0-9]+(?: [a-z0-9]+)*$/;
const PREFIX = /^[A-Za-z0-9_][\x20-\x7e]*$/;

const isSoundBody = (row: Exclude<RedactPattern, { type: "name" }>): boolean =>
  row.type === "token"
    ? row.body.length > 0 &&
      row.prefixes.every((prefix) => PREFIX.test(prefix)) &&
      [...row.body, ...(row.rest ?? [])].every(isSegment)
    : row.before.length > 0 && /^[\x21-\x7e]+$/.test(row.pivot) && [...row.before, ...row.after].every(isSegment);

const isSound = (row: RedactPattern): boolean =>
  /^[a-z0-9_]{1,32}$/.test(row.kind) &&
  (row.type === "name" ? row.names.length > 0 && row.names.every((name) => NAME_ROW.test(name)) : isSoundBody(row));

/**
 * Makes a redactor of the built-in patterns and `extraPatterns`.
 * @throws `redact.bad_pattern` for an extra row that could not be matched, or not in linear time.
 */
export const createRedactor = ({ enabled, extraPatterns = [], ownValues = [] }: RedactorOptions): Redactor => {
  if (!enabled) return DISABLED;
  const bad = extraPatterns.find((row) => !isSound(row));
  if (bad !== undefined) throw redactErrors.badPattern({ kind: bad.kind });
  const rows = [...extraPatterns, ...PATTERNS];
  const names = createNameIndex(rows.filter((row) => row.type === "name"));
  const tokens = createTokenIndex(rows.filter((row) => row.type !== "name"));
  const find = createFindSettled(withKnownSecrets(createFindSecrets({ names, tokens }), names, ownValues));

  const text = (text: string): Redacted<string> => redacted(maskSpans(text, find(text)));
  const field = (name: string, value: string): Redacted<string> => {
    const row = names.verdict(name);
    if (row === undefined || !isNamedSecret(value, row, "field")) return text(value);
    const spans = find(value);
    const whole = spans.length === 1 && spans[0]?.start === 0 && spans[0].end === value.length;
    return redacted(whole ? maskSpans(value, spans) : maskOf(row.kind, value));
  };
  return { enabled: true, text, field, find };
};

const standard = createRedactor({ enabled: true });

/** Masks every secret of `text` by the built-in patterns; for errors and logs made before the settings are known. */
export const redactText = (text: string): Redacted<string> => standard.text(text);
