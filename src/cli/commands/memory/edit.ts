import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { ensureHome } from "../../../config/home.ts";
import { memoryErrors } from "../../../knowledge/memory/errors.ts";
import { hasSeparatorLine, joinEntries, MEMORY_FILES, splitEntries } from "../../../knowledge/memory/memory-format.ts";
import { describeRefusal, describeUse } from "../../../knowledge/memory/memory-words.ts";
import type { CommandCall } from "../../command-call.ts";
import { runEditor } from "../config/edit.ts";
import { OWNER, printJson, readTarget, withMemory } from "./context.ts";

/**
 * `hermes memory edit [memory|user]`: opens the entries in $VISUAL or $EDITOR. What others changed while the editor was open stays. A text
 * that cannot be taken is kept, and its path said.
 */
export const runEdit = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ app, book }) => {
    const target = readTarget(String(call.args[0]));
    const before = (await book.list(target)).entries.map(({ text }) => text);
    ensureHome(app.home, ["scratch"]);
    const folder = mkdtempSync(path.join(app.paths.scratch, "memory-edit-"));
    const copy = path.join(folder, MEMORY_FILES[target]);
    writeFileSync(copy, `${joinEntries(before)}\n`, { mode: 0o600 });
    const failure = await runEditor(app.environment, copy);
    if (failure !== undefined) throw memoryErrors.editorFailed({ ...failure, copy }, failure.cause);
    const after = splitEntries(readFileSync(copy, "utf8"));
    if (joinEntries(after) === joinEntries(before)) {
      rmSync(folder, { recursive: true });
      if (call.flags.json === true) printJson(call, { change: null, target });
      else call.output.stdout("No changes.\n");
      return 0;
    }
    if (after.some(hasSeparatorLine)) {
      throw memoryErrors.editRejected({ why: "A line of § in the text is no separator: § must stand alone.", copy });
    }
    const outcome = await book.change(target, { action: "edit", before, after }, OWNER);
    if (outcome.kind === "refused") throw memoryErrors.editRejected({ why: describeRefusal(outcome.refusal), copy });
    rmSync(folder, { recursive: true });
    const { change, used, limit } = outcome;
    if (call.flags.json === true) printJson(call, { change, target, used, limit });
    else call.output.stdout(`Saved. ${describeUse(target, used, limit)}.\n`);
    return 0;
  });
