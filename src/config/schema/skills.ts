import { flag, group, openMapping, textList } from "./field.ts";

/** `skills`: instructions for kinds of tasks. */
export const skillsSection = group(
  {
    external_dirs: textList({
      doc: "More folders with skills, after the home's own; `~` is your home directory. They are read, never changed.",
    }),
    disabled: textList({ doc: "Names of skills that are switched off." }),
    template_vars: flag({
      default: true,
      doc: "Fill `${HERMES_SKILL_DIR}` and `${HERMES_SESSION_ID}` in, where a skill's text has them.",
    }),
    config: openMapping({ doc: "Values of settings that skills declare, by their keys." }),
  },
  { doc: "Skills: instructions for kinds of tasks." },
);
