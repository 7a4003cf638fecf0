import type { ExitCode } from "../../../base/app-error.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { ModelContext } from "./context.ts";
import { factsJson } from "./model-rows.ts";
import { abilitiesText, priceText, windowText, WINDOW_SOURCES } from "./model-words.ts";

/** Says which model answers, and what is known of it; 1 where none can. */
export const showModel = ({ models, output }: ModelContext, { json }: { readonly json: boolean }): ExitCode => {
  const resolution = models.resolve({});
  if (resolution.kind === "none") throw resolution.error;
  if (resolution.kind === "practice") {
    output.stdout(json ? `${JSON.stringify({ provider: "practice", model: "practice" })}\n` : "practice practice\n");
    return 0;
  }
  const { target } = resolution;
  const { info } = target;
  if (json) {
    const facts = {
      provider: info.provider,
      model: info.model,
      wire: info.wire,
      base_url: target.baseUrl,
      ...factsJson(info),
    };
    output.stdout(`${JSON.stringify(facts, undefined, 2)}\n`);
    return 0;
  }
  output.stdout(`${cleanText(`${info.provider} ${info.model}`)}\n`);
  output.stdout(`  ${windowText(info.contextWindow)} tokens, ${WINDOW_SOURCES[info.contextWindowFrom]}\n`);
  output.stdout(`  $ per million tokens, in / out: ${priceText(info.price)}\n`);
  output.stdout(`  can: ${abilitiesText(info.abilities)}\n`);
  output.stderr("hermes model list shows others, hermes model set NAME chooses one, hermes model test tries it.\n");
  return 0;
};
