import type { Command } from "./command.ts";
import { CONTROL_COMMANDS } from "./control-commands.ts";
import { createHelp } from "./help.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

const OTHERS: readonly Command[] = [...SESSION_COMMANDS, ...CONTROL_COMMANDS];

/** The slash commands, in the order in which `/help` lists them and beginnings are looked up. */
export const COMMANDS: readonly Command[] = [createHelp(OTHERS), ...OTHERS];
