import { defineErrors } from "../app-error.ts";

/** Failures of redaction. */
export const redactErrors = defineErrors({
  badPattern: {
    code: "redact.bad_pattern",
    message: ({ kind }: { kind: string }) => `the redaction pattern "${kind}" is not usable`,
    hint: () =>
      "Its kind must be [a-z0-9_]{1,32}, its prefixes must begin with a letter or digit, and its parts need a known alphabet and min <= max.",
    exitCode: 1,
  },
});
