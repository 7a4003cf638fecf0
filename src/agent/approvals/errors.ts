import { defineErrors } from "../../base/app-error.ts";

/** What the approvals folder throws: only what makes judging a command impossible. */
export const approvalErrors = defineErrors({
  grammarUnavailable: {
    code: "approvals.grammar_unavailable",
    message: ({ why }: { why: string }) => `The shell grammar cannot be loaded, so no command can be judged: ${why}`,
    hint: () => "Install the program again; its .wasm files are missing or damaged.",
    exitCode: 1,
  },
});
