import { count, flag, group } from "./field.ts";

/** `memory`: what is kept over sessions. */
export const memorySection = group(
  {
    memory_enabled: flag({ default: true, doc: "Use MEMORY.md: what the agent noted." }),
    user_profile_enabled: flag({ default: true, doc: "Use USER.md: who the owner is." }),
    memory_char_limit: count({
      default: 2_200,
      min: 100,
      max: 100_000,
      doc: "Most characters of MEMORY.md; all of it stands in every request.",
    }),
    user_char_limit: count({
      default: 1_375,
      min: 100,
      max: 100_000,
      doc: "Most characters of USER.md; all of it stands in every request.",
    }),
    consolidate: flag({
      default: false,
      doc: "Let a model (`auxiliary.memory`) merge entries after a turn that filled a file over 80 %. It costs money; `hermes memory undo` takes it back.",
    }),
  },
  { doc: "What is kept over sessions, in the home's `memories/`." },
);
