import type { Config } from "../../config/schema/config.ts";

type BedrockSettings = Config["bedrock"];

/** The region where nothing names one. */
export const DEFAULT_REGION = "us-east-1";

/** The region that settings or variables name; a profile's is known only when its keys are looked for. */
export const namedRegion = (
  { region }: Pick<BedrockSettings, "region">,
  variable: (name: string) => string | undefined,
): string | undefined =>
  [region, variable("AWS_REGION"), variable("AWS_DEFAULT_REGION")]
    .map((name) => name?.trim())
    .find((name) => name !== undefined && name !== "");

/** The service's address in a region. */
export const bedrockAddress = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;

/** What a request says of the account's guardrail, as further members of its body; undefined where none is set. */
export const guardrailBody = ({ guardrail }: BedrockSettings): Readonly<Record<string, unknown>> | undefined => {
  const id = guardrail.guardrail_identifier?.trim() ?? "";
  if (id === "") return undefined;
  return {
    guardrailConfig: {
      guardrailIdentifier: id,
      guardrailVersion: guardrail.guardrail_version?.trim() || "DRAFT",
      trace: guardrail.trace,
      streamProcessingMode: guardrail.stream_processing_mode,
    },
  };
};
