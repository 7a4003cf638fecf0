import { createHash } from "node:crypto";

interface PiiPattern {
  readonly kind: string;
  readonly pattern: RegExp;
}

// Bounded repetitions only, so that the time stays linear. `git@host` names a login, not a person.
const PATTERNS: readonly PiiPattern[] = [
  {
    kind: "email",
    pattern:
      /(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}\b/g,
  },
  // E.164: up to 15 digits with the country code, written with or without separators.
  { kind: "phone", pattern: /(?<![\w+])\+[1-9](?:[ .()-]{0,2}\d){7,14}(?!\d)/g },
  // Discord and Slack `<@…>`, Matrix `@name:server`.
  {
    kind: "mention",
    pattern:
      /<@[!&]?[A-Z0-9]{5,24}(?:\|[^>\s]{1,64})?>|(?<![\w/@.])@[a-z0-9._=/+-]{1,64}:[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6}\b/g,
  },
];

const maskOf = (kind: string, value: string): string =>
  `«pii:${kind}:${createHash("sha256").update(value).digest("hex").slice(0, 4)}»`;

/**
 * Replaces phone numbers, e-mail addresses and mentions by `«pii:<kind>:<4 hex>»`, the same for the same value. For what goes to the
 * model and to logs with `privacy.redact_pii`; never for the store. Masked text does not change.
 */
export const redactPii = (text: string): string =>
  PATTERNS.reduce((masked, { kind, pattern }) => masked.replace(pattern, (value) => maskOf(kind, value)), text);
