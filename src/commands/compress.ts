import { defineCommand } from "./command.ts";

/** `/compress [topic]`: puts a summary in the place of what is older; the whole stays in the session before. */
export const compress = defineCommand({
  name: "compress",
  argsHint: "[topic]",
  description: "Summarise the older part of the conversation; a topic is kept in most detail",
  run: ({ args }) => Promise.resolve({ kind: "compress", focus: args === "" ? undefined : args }),
});
