import { type CommandResult, defineCommand, errorResult } from "./command.ts";
import { SESSION_COLUMNS, sessionRow } from "./format-values.ts";
import type { CommandPorts, ResumeOutcome, SessionSummary } from "./ports.ts";
import { RECENT_SESSIONS, sessions } from "./sessions.ts";

const named = (session: SessionSummary): string =>
  session.title === null ? session.id : `"${session.title}" (${session.id})`;

const answer = (target: string, outcome: ResumeOutcome, now: number): CommandResult => {
  switch (outcome.kind) {
    case "resumed": {
      const from = outcome.followedFrom === null ? "" : `; ${outcome.followedFrom} had been compressed into it`;
      return { kind: "session_switched", text: `Resumed ${named(outcome.session)}${from}`, showHistory: true };
    }
    case "ambiguous":
      return {
        kind: "table",
        title: `"${target}" fits several sessions`,
        columns: [...SESSION_COLUMNS],
        rows: outcome.candidates.map((session) => sessionRow(session, now)),
      };
    case "none": {
      const nearest = outcome.nearest.map(named).join(", ");
      return errorResult(
        `No session is called "${target}"`,
        nearest === "" ? "/sessions lists them." : `Near: ${nearest}`,
      );
    }
    case "busy":
      return errorResult(
        `That session is in use by process ${outcome.holder.pid} (${outcome.holder.surface})`,
        "Wait until it is done, or /branch there.",
      );
    default:
      return outcome satisfies never;
  }
};

/** A bare number picks from the list that `/sessions` shows; anything else is an id, a prefix of one, or a title. */
const pick = async (target: string, ports: CommandPorts): Promise<string | undefined> => {
  if (!/^\d{1,2}$/u.test(target)) return target;
  const recent = await ports.conversation.recent(RECENT_SESSIONS);
  return recent[Number(target) - 1]?.id;
};

/** `/resume [#, id or title]`: opens an earlier session. */
export const resume = defineCommand({
  name: "resume",
  argsHint: "[#|id|title]",
  description: "Open an earlier session",
  run: async (input) => {
    if (input.args === "") return sessions.run(input);
    const target = await pick(input.args, input.ports);
    if (target === undefined) return errorResult(`There is no session number ${input.args}`, "/sessions lists them.");
    return answer(input.args, await input.ports.conversation.resume(target), input.ports.now());
  },
});
