import { count, flag, group } from "./field.ts";

/** `file_read_max_chars`. */
export const fileReadMaxChars = count({ default: 100_000, min: 1, doc: "Most characters that one file read returns." });

/** `tool_output`: how much of a tool's result the model sees. */
export const toolOutputSection = group(
  {
    max_bytes: count({ default: 50_000, min: 1, doc: "Most bytes of one result." }),
    max_lines: count({ default: 2000, min: 1, doc: "Most lines of one result." }),
    max_line_length: count({ default: 2000, min: 1, doc: "Most characters of one line." }),
  },
  { doc: "How much of a tool's result the model sees; the full text stays on disk." },
);

const thresholds = (doc: string, values: readonly [number, number, number]) =>
  group(
    {
      exact_failure: count({ default: values[0], min: 1, doc: "The same call failed this often." }),
      same_tool_failure: count({ default: values[1], min: 1, doc: "The same tool failed this often in a row." }),
      idempotent_no_progress: count({
        default: values[2],
        min: 1,
        doc: "The same reading call gave the same answer this often.",
      }),
    },
    { doc },
  );

/** `tool_loop_guardrails`: what happens when the model repeats itself. */
export const toolLoopGuardrailsSection = group(
  {
    warnings_enabled: flag({ default: true, doc: "Tell the model that it repeats itself." }),
    hard_stop_enabled: flag({ default: false, doc: "End the turn when it goes on." }),
    warn_after: thresholds("When the model is told.", [2, 3, 2]),
    hard_stop_after: thresholds("When the turn ends.", [5, 8, 5]),
  },
  { doc: "What happens when the model repeats itself." },
);
