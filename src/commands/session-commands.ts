import { branch } from "./branch.ts";
import { clear } from "./clear.ts";
import type { Command } from "./command.ts";
import { compress } from "./compress.ts";
import { context } from "./context.ts";
import { copy } from "./copy.ts";
import { history } from "./history.ts";
import { insights } from "./insights.ts";
import { newSession } from "./new.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { rollback } from "./rollback.ts";
import { save } from "./save.ts";
import { sessions } from "./sessions.ts";
import { status } from "./status.ts";
import { title } from "./title.ts";
import { undo } from "./undo.ts";
import { usage } from "./usage.ts";

/** Commands about conversations. The order decides what an unclear beginning means. */
export const SESSION_COMMANDS: readonly Command[] = [
  status,
  usage,
  insights,
  context,
  compress,
  history,
  sessions,
  resume,
  title,
  save,
  copy,
  branch,
  retry,
  newSession,
  undo,
  rollback,
  clear,
];
