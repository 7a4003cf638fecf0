import { group, openMapping, optionalAddress, optionalText, seconds, text } from "./field.ts";
import { fallbackList } from "./model-catalog.ts";

/** One task's settings; `timeout` is its default in seconds. */
const task = (doc: string, timeout: number) =>
  group(
    {
      provider: text({
        default: "auto",
        doc: "Who does it; `auto` = the conversation's own provider, with its small model where it has one.",
      }),
      model: text({ default: "", doc: "The model; empty = the provider's small one, else the conversation's." }),
      base_url: optionalAddress({ doc: "Address of an endpoint for this task alone.", legacy: ["url", "api"] }),
      api_key: optionalText({ doc: "Key for `base_url`; better kept in .env.", secret: true }),
      timeout: seconds({ default: timeout, doc: "Longest time of one call." }),
      extra_body: openMapping({ doc: "Members added to the request's body." }),
      fallback_chain: fallbackList({
        doc: "Models that take over when money or quota ends or the connection breaks; the conversation's model is the last.",
      }),
    },
    { doc },
  );

/** `auxiliary`: small tasks beside the conversation. */
export const auxiliarySection = group(
  {
    approval: task("Judges dangerous actions where `approvals.mode` is `smart`.", 30),
    title_generation: task(
      "Gives a conversation its title. Left out where neither a small model is known nor a model named here.",
      30,
    ),
    compression: task(
      "Writes the summary when a conversation is compressed. What does not fit its window is read in parts.",
      120,
    ),
    memory: task("Merges notes where `memory.consolidate` is on.", 60),
  },
  { doc: "Models for small tasks beside the conversation." },
);
