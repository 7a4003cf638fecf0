import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionRecord } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { openApp } from "../../open-app.ts";
import { wholeNumber } from "../../whole-number.ts";
import { deleteSessions } from "./delete.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;

/** `hermes sessions prune`: deletes what has not been active for a while; what was deleted over 7 days ago goes for good. */
export const runPrune = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const days =
    flags["olderThan"] === undefined
      ? app.config.section("sessions").retention_days
      : wholeNumber("--older-than", flags["olderThan"]);
  const store = await app.store();
  const now = app.clock.now();
  const source = typeof flags["source"] === "string" ? { source: flags["source"] } : {};
  const sessions: SessionRecord[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.sessions.list({ ...source, activeBefore: now - days * DAY_MS, limit: PAGE, offset });
    sessions.push(...page);
    if (page.length < PAGE) break;
  }
  return await deleteSessions({ app, sessions, now, flags, output });
};
