import { choice, group, optionalText } from "./field.ts";

/** `bedrock`: models at Amazon. */
export const bedrockSection = group(
  {
    region: optionalText({
      doc: "Region of Amazon's that is called; absent = `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile's, us-east-1.",
    }),
    guardrail: group(
      {
        guardrail_identifier: optionalText({
          doc: "Id or ARN of the guardrail that watches every call; absent = none.",
        }),
        guardrail_version: optionalText({ doc: "Its version, a number or DRAFT; absent = DRAFT." }),
        stream_processing_mode: choice(["async", "sync"], {
          default: "async",
          doc: "Whether the guardrail reads along (async) or before anything is shown (sync).",
        }),
        trace: choice(["disabled", "enabled", "enabled_full"], {
          default: "disabled",
          doc: "Whether the answer tells what the guardrail found.",
        }),
      },
      { doc: "A guardrail of the account." },
    ),
  },
  { doc: "Models at Amazon." },
);
