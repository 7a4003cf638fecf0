import type { ExitCode } from "../../../base/app-error.ts";
import { searchMemory } from "../../../knowledge/memory/search-memory.ts";
import type { CommandCall } from "../../command-call.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { printJson, targetFlag, withMemory } from "./context.ts";

/** `hermes memory search WORDS…`: in the files and in the archive. */
export const runSearch = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const { args, flags, output } = call;
    const target = targetFlag(call);
    const hits = await searchMemory(memory, {
      text: [args[0] ?? []].flat().join(" "),
      limit: wholeNumber("--limit", flags["limit"]),
      ...(target === undefined ? {} : { target }),
    });
    if (flags.json === true) {
      printJson(
        call,
        hits.map(({ target: file, text, addedAt, archived }) => ({
          target: file,
          text,
          added_at: addedAt ?? null,
          archived_at: archived?.at ?? null,
          reason: archived?.reason ?? null,
        })),
      );
      return 0;
    }
    if (hits.length === 0) {
      output.stdout("Nothing has these words.\n");
      return 0;
    }
    const rows = hits.map(({ target: file, text, addedAt, archived }) => [
      file,
      addedAt === undefined ? "" : memory.time(addedAt),
      archived === undefined ? "" : `${memory.time(archived.at)} (${archived.reason.replace("_", " ")})`,
      text,
    ]);
    const headings = ["FILE", "SINCE", "ARCHIVED", "ENTRY"].map((heading) => ({ heading }));
    output.stdout(renderTable(headings, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
    return 0;
  });
