import { defineErrors } from "../../base/app-error.ts";

/** What ends the program's work with skills. Everything else about them is a value. */
export const skillErrors = defineErrors({
  notFound: {
    code: "skill.not_found",
    message: (p: { name: string; why: string }) => `The skill "${p.name}" can't be used: ${p.why}`,
    hint: () => "`hermes skills list` shows them.",
    exitCode: 1,
  },
});
