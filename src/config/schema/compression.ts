import { count, flag, fraction, group } from "./field.ts";

/** `compression`: what happens when a conversation nears its model's window. */
export const compressionSection = group(
  {
    enabled: flag({ default: true, doc: "Summarise the older part of a conversation that nears its window." }),
    threshold: fraction({
      default: 0.5,
      doc: "Part of the window at which that happens; never below 64,000 tokens where the window holds them.",
    }),
    target_ratio: fraction({ default: 0.2, doc: "Part of the threshold that the newest messages may keep." }),
    protect_last_n: count({ default: 20, doc: "At least this many of the newest messages are kept, if they fit." }),
    protect_first_n: count({
      default: 3,
      doc: "This many messages at the beginning are never summarised, if they fit.",
    }),
    abort_on_summary_failure: flag({
      default: false,
      doc: "Leave the conversation as it is where no model can write the summary; otherwise a plain list takes its place.",
    }),
  },
  { doc: "What happens when a conversation nears its model's window." },
);
