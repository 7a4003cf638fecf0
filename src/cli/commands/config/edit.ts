import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ExitCode, messageOf } from "../../../base/app-error.ts";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { parseConfigText } from "../../../config/config-file.ts";
import { underLock } from "../../../config/edit.ts";
import { type Environment, variable } from "../../../config/environment.ts";
import { configErrors } from "../../../config/errors.ts";
import { ensureHome, homePaths } from "../../../config/home.ts";
import { loadConfig } from "../../../config/load.ts";
import { readTextFile } from "../../../config/text-file.ts";
import type { ConfigContext } from "./context.ts";
import { showProblem } from "./words.ts";

/**
 * `hermes config edit`: opens a copy of config.yaml in $VISUAL or $EDITOR and replaces the file only if what comes back
 * parses and nobody changed the file meanwhile; else the copy is kept and its path said. Problems of values are
 * listed. Throws `config.editor_failed` and `config.edit_rejected`.
 */
export const configEdit = async (context: ConfigContext): Promise<ExitCode> => {
  const { home, stdout } = context;
  const paths = homePaths(home);
  ensureHome(home, ["scratch"]);
  const folder = mkdtempSync(path.join(paths.scratch, "config-edit-"));
  const copy = path.join(folder, "config.yaml");
  const before = contentOf(paths.config);
  // Keys may stand in it, so the copy is for the owner alone.
  writeFileSync(copy, before, { mode: 0o600 });
  const failure = await runEditor(context.environment, copy);
  if (failure !== undefined) {
    const isUntouched = existsSync(copy) && contentOf(copy).equals(before);
    if (isUntouched) rmSync(folder, { recursive: true });
    throw configErrors.editorFailed({ ...failure, copy: isUntouched ? undefined : copy }, failure.cause);
  }

  const edited = readTextFile(copy);
  const parsed = edited.kind === "text" ? parseConfigText(edited.text) : edited;
  const isSame = edited.kind === "text" && Buffer.from(edited.text).equals(before);
  if (isSame) stdout(`No changes; ${paths.config} is as it was\n`);
  else if (parsed.kind === "absent") throw rejected(paths.config, copy, "the editor left no file behind");
  else if (parsed.kind === "broken") throw rejected(paths.config, copy, brokenReason(parsed.reason, parsed.line));
  else {
    await underLock(context, async () => {
      if (!contentOf(paths.config).equals(before))
        throw rejected(paths.config, copy, "it was changed by somebody else meanwhile");
      await writeFileAtomic(paths.config, parsed.text, existsSync(paths.config) ? {} : { mode: 0o600 });
    });
    stdout(`Saved ${paths.config}\n`);
  }
  rmSync(folder, { recursive: true });
  for (const problem of loadConfig(context).problems) stdout(showProblem(problem));
  return 0;
};

/** The bytes as they are, also of a file that doesn't parse: editing is how it is repaired. Nothing if there is none. */
const contentOf = (file: string): Buffer => {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return Buffer.alloc(0);
  if (!stat.isFile()) throw configErrors.brokenFile({ file, line: undefined, reason: "is no ordinary file" });
  return readFileSync(file);
};

const brokenReason = (reason: string, line: number | undefined): string =>
  line === undefined ? `the new text ${reason}` : `line ${line} of the new text: ${reason}`;

const rejected = (file: string, copy: string, reason: string): Error =>
  configErrors.editRejected({ file, copy, reason });

const DEFAULT_EDITOR = process.platform === "win32" ? "notepad" : "vi";

/** How an editor failed. */
export interface EditorFailure {
  readonly editor: string;
  readonly reason: string;
  readonly cause?: unknown;
}

/** Runs the person's editor, which has the terminal to itself until it ends; undefined = it ended well. */
export const runEditor = async (environment: Environment, copy: string): Promise<EditorFailure | undefined> => {
  const editor = variable(environment, "VISUAL") ?? variable(environment, "EDITOR") ?? DEFAULT_EDITOR;
  const env = { ...environment };
  // $EDITOR may hold arguments (`code --wait`), so a shell takes it apart; the file's name reaches it as it is.
  const child =
    process.platform === "win32"
      ? spawn(`${editor} "${copy}"`, { stdio: "inherit", shell: true, env })
      : spawn("sh", ["-c", `${editor} "$1"`, "sh", copy], { stdio: "inherit", env });
  try {
    const [code, signal]: unknown[] = await once(child, "exit");
    if (code === 0) return undefined;
    return {
      editor,
      reason: typeof signal === "string" ? `was ended by ${signal}` : `failed with exit code ${String(code)}`,
    };
  } catch (error) {
    return { editor, reason: `could not be started: ${messageOf(error)}`, cause: error };
  }
};
