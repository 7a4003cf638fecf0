import { defineCommand } from "./command.ts";

/** `/branch [name]`: goes on in a copy of the conversation. */
export const branch = defineCommand({
  name: "branch",
  aliases: ["fork"],
  argsHint: "[name]",
  description: "Go on in a copy of this session",
  run: async ({ args, ports }) => {
    const from = ports.conversation.current();
    const session = await ports.conversation.branch(args === "" ? undefined : args);
    const name = session.title === null ? session.id : `"${session.title}" (${session.id})`;
    return { kind: "session_switched", text: `Branched ${from.id} into ${name}`, showHistory: false };
  },
});
