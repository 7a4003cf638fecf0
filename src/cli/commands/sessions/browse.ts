import type { ExitCode } from "../../../base/app-error.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { SessionRecord } from "../../../store/store.ts";
import type { CommandCall } from "../../command-call.ts";
import { askLine } from "../../ask-line.ts";
import { cliErrors } from "../../errors.ts";
import { formatTime } from "../../format.ts";
import { openApp } from "../../open-app.ts";
import type { Output } from "../../output.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { runBare } from "../chat.ts";
import { sessionName } from "./session-name.ts";

const PAGE = 20;
const QUESTION = "Number to open, text to search, empty to leave: ";

/** `hermes sessions browse`: choose by number or by text, then go on with that session. */
export const runBrowse = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  if (!output.isTerminal.stdin || !output.isTerminal.stdout) throw cliErrors.needsTerminal({});
  const chosen = await choose(flags, output);
  if (chosen === undefined) return 0;
  const { profile, ignoreUserConfig, debug } = flags;
  return await runBare({ profile, ignoreUserConfig, debug, resume: chosen.id }, output);
};

const choose = async (flags: CommandCall["flags"], output: Output): Promise<SessionRecord | undefined> => {
  await using app = openApp(flags);
  const store = await app.store();
  const source = typeof flags["source"] === "string" ? { source: flags["source"] } : { listed: true };
  const all = await store.sessions.list({ ...source, limit: wholeNumber("--limit", flags["limit"]) });
  const openings = await store.sessions.openings(all.map(({ id }) => id));
  const zone = app.config.section("timezone");
  let shown = all;
  for (;;) {
    const page = shown.slice(0, PAGE);
    if (page.length === 0) output.stdout("No session matches.\n");
    else output.stdout(renderPage(page, { zone, openings }, output.columns()));
    const answer = await askLine(QUESTION, { input: process.stdin, output: process.stdout });
    if (answer === undefined || answer === "") return undefined;
    const numbered = /^\d+$/.test(answer) ? page[Number(answer) - 1] : undefined;
    if (numbered !== undefined) return numbered;
    const wanted = answer.toLowerCase();
    shown = all.filter((session) =>
      `${session.id} ${sessionName(session, openings)} ${session.cwd ?? ""}`.toLowerCase().includes(wanted),
    );
  }
};

interface PageFacts {
  readonly zone: string | undefined;
  readonly openings: ReadonlyMap<SessionId, string>;
}

const renderPage = (page: readonly SessionRecord[], { zone, openings }: PageFacts, width: number): string =>
  renderTable(
    [{ heading: "#", align: "right" }, { heading: "SESSION" }, { heading: "LAST ACTIVE" }, { heading: "TITLE" }],
    page.map((session, index) => [
      String(index + 1),
      session.id,
      formatTime(session.activeAt, zone),
      sessionName(session, openings),
    ]),
    width,
  );
