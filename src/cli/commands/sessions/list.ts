import type { ExitCode } from "../../../base/app-error.ts";
import type { CommandCall } from "../../command-call.ts";
import { formatTime, plural } from "../../format.ts";
import { displayZone } from "../../display-zone.ts";
import { openApp } from "../../open-app.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { sessionName } from "./session-name.ts";
import { sessionJson } from "../../../app/session-export/session-json.ts";

/** `hermes sessions list`: newest first; with `--json` an array. */
export const runList = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  const limit = wholeNumber("--limit", flags["limit"]);
  await using app = openApp(flags);
  const store = await app.store();
  const zone = displayZone(app, output);
  const source = typeof flags["source"] === "string" ? flags["source"] : undefined;
  const sessions = await store.sessions.list({
    limit,
    deleted: flags["deleted"] === true,
    ...(source === undefined ? { listed: true } : { source }),
  });
  const openings = await store.sessions.openings(sessions.map(({ id }) => id));
  if (flags.json === true) {
    const children = await store.sessions.children(sessions.map(({ id }) => id));
    output.stdout(
      `${JSON.stringify(
        sessions.map((session) => ({
          ...sessionJson(session),
          children: children.get(session.id) ?? [],
          opening: openings.get(session.id) ?? null,
        })),
        undefined,
        2,
      )}\n`,
    );
    return 0;
  }
  if (sessions.length === 0) {
    output.stdout(flags["deleted"] === true ? "No deleted sessions.\n" : "No sessions yet. Start one with `hermes`.\n");
    return 0;
  }
  const rows = sessions.map((session) => [
    session.id,
    formatTime(session.activeAt, zone),
    session.source,
    plural(session.messageCount, "message"),
    sessionName(session, openings),
  ]);
  const headings = ["SESSION", "LAST ACTIVE", "SOURCE", "SIZE", "TITLE"].map((heading) => ({ heading }));
  output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  return 0;
};
