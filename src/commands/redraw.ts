import { defineCommand } from "./command.ts";

/** `/redraw`: the screen anew, e.g. after another program wrote over it. */
export const redraw = defineCommand({
  name: "redraw",
  description: "Draw the screen again",
  during: "any",
  run: async () => ({ kind: "redraw" }),
});
