import type { ExitCode } from "../../../base/app-error.ts";
import { SHIPPED_DATE } from "../../../llm/catalogue.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { plural } from "../../format.ts";
import { inModels, type ModelContext } from "./context.ts";

/** `hermes model refresh`: fetches the public catalogue now. */
export const runModelRefresh = (call: CommandCall): Promise<ExitCode> =>
  inModels(call, (context) => modelRefresh(context, { json: call.flags.json === true }));

/** Fetches the catalogue and says what came; 1 if it could not be had. */
export const modelRefresh = async (
  { models, output, signal }: ModelContext,
  { json }: { readonly json: boolean },
): Promise<ExitCode> => {
  const outcome = await models.catalogue.refresh(signal);
  const code = outcome.kind === "failed" ? 1 : 0;
  if (json) {
    output.stdout(`${JSON.stringify(outcome)}\n`);
    return code;
  }
  switch (outcome.kind) {
    case "refreshed":
      output.stdout(`Fetched ${plural(outcome.models, "model")} of ${plural(outcome.providers, "provider")}.\n`);
      break;
    case "unchanged":
    case "fresh":
      output.stdout("The catalogue is current.\n");
      break;
    case "disabled":
      output.stdout("model_catalog.enabled is false: nothing is fetched.\n");
      break;
    case "failed":
      output.stderr(`✗ The catalogue could not be fetched: ${cleanText(outcome.why)}\n`);
      output.stderr(`  What was there still counts; the one that ships is of ${SHIPPED_DATE}.\n`);
  }
  return code;
};
