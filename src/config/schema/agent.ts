import { REASONING_EFFORTS } from "../reasoning-effort.ts";
import { choice, choiceOrTexts, count, group, openMapping, optionalText, text, textList } from "./field.ts";

/** `agent`: the turn loop. */
export const agentSection = group(
  {
    max_turns: count({
      default: 90,
      min: 1,
      doc: "Most model calls of one turn; then the agent sums up.",
      variables: [{ name: "HERMES_MAX_ITERATIONS" }],
    }),
    api_max_retries: count({ default: 3, max: 100, doc: "Most attempts of one model call, the first included." }),
    disabled_toolsets: textList({ doc: "Toolsets that nothing can switch on." }),
    reasoning_effort: choice(REASONING_EFFORTS, {
      default: "medium",
      doc: "How hard the model is asked to think, where it can be asked.",
      onBad: "dropped",
    }),
    tool_use_enforcement: choiceOrTexts(["auto", "on", "off"], {
      default: "auto",
      doc: "Whether the prompt insists on tool calls: for models known to need it (auto), all (true), none (false), or those with one of these in their names.",
      onBad: "dropped",
    }),
    system_prompt: text({ default: "", doc: "Text added to the system prompt." }),
    personalities: openMapping({ doc: "Like `personalities` at the top, which wins." }),
    prefill_messages_file: optionalText({ doc: "Like `prefill_messages_file` at the top, which wins." }),
  },
  { doc: "The turn loop." },
);
