import { choice, flag, group, readFlag, seconds, textList } from "./field.ts";

/** `approvals`: who answers before something dangerous is done. */
export const approvalsSection = group(
  {
    mode: choice(["manual", "smart", "off"], {
      default: "manual",
      doc: "Ask a person, let a model judge first, or run without asking (what is blocked always stays blocked).",
      variables: [{ name: "HERMES_YOLO_MODE", read: (value) => (readFlag(value) === true ? "off" : undefined) }],
    }),
    timeout: seconds({ default: 60, doc: "How long a question waits; then the answer is no." }),
    self_changes: choice(["allow", "hold"], {
      default: "allow",
      doc: "What the agent writes for its future self (memory, skills): done at once, or held until you approve it.",
    }),
    destructive_slash_confirm: flag({ default: true, doc: "Ask before a slash command that throws something away." }),
  },
  { doc: "Who answers before something dangerous is done." },
);

/** `command_allowlist`: shapes of commands that were allowed for good. */
export const commandAllowlist = textList({ doc: "Shapes of commands that need no question any more." });
