import { flag, group } from "./field.ts";

/** `security`: what is kept out of sight. */
export const securitySection = group(
  {
    redact_secrets: flag({
      default: true,
      doc: "Mask secrets before anything is stored, sent or logged.",
      variables: [{ name: "HERMES_REDACT_SECRETS" }],
      onBad: "dropped",
    }),
  },
  { doc: "What is kept out of sight." },
);

/** `privacy`: personal data. */
export const privacySection = group(
  {
    redact_pii: flag({
      default: false,
      doc: "Mask phone numbers, mail addresses and mentions for the model and in logs.",
    }),
  },
  { doc: "Personal data." },
);
