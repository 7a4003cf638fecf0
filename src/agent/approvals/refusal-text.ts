import type { Reason } from "./analyse-command.ts";
import { describeReason } from "./rules/rule-table.ts";

/** Why an action is not done. */
export type Refusal = "blocked" | "nobody-to-ask" | "cron" | "deny" | "timeout" | "judged";

const WORDS: Readonly<Record<Refusal, { readonly what: string; readonly instead: string }>> = {
  blocked: {
    what: "This is never run",
    instead: "Do not try to reach the same in another way; tell the user what you wanted to do and why.",
  },
  "nobody-to-ask": {
    what: "This needs the owner's approval, and nobody can be asked here",
    instead:
      "Find a way without it, or report what remains to be done. The owner can allow it with --yolo or command_allowlist.",
  },
  cron: {
    what: "Scheduled jobs may not do this",
    instead: "Find a way without it, or report what remains to be done. The owner can set approvals.cron_mode.",
  },
  deny: { what: "The owner said no", instead: "Do not try to reach the same in another way; ask what to do instead." },
  timeout: { what: "The owner did not answer in time", instead: "Go on without it, or ask again later." },
  judged: {
    what: "This was judged too dangerous to run without the owner",
    instead: "Find a way without it, or explain to the user why it is needed.",
  },
};

/** What the model is told about a refusal: why, the rules' words, and what to do instead. */
export const describeRefusal = (refusal: Refusal, reasons: readonly Reason[]): string => {
  const { what, instead } = WORDS[refusal];
  return `${what}: ${[...new Set(reasons.map(describeReason))].join("; ")}. ${instead}`;
};
