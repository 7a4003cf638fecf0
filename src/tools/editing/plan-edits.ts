import { lstat } from "node:fs/promises";
import type { ToolResult } from "../../agent/tool.ts";
import { describeUnknownMask } from "../files/describe-mask.ts";
import type { FileWriteDeps } from "../files/file-tool-deps.ts";
import { decodeFile, encodeText } from "../files/text-file.ts";
import type { DecodedText } from "../files/text-file.ts";
import { fault } from "../tool-answer.ts";
import { applyHunks } from "./apply-hunks.ts";
import type { FileEdit } from "./commit-edits.ts";
import { loadWriteTarget } from "./editable-file.ts";
import type { FilePatch, Hunk } from "./patch-format.ts";
import { describePlaces, patchErrors } from "./patch-words.ts";
import { restoreHunkMasks } from "./restore-hunk-masks.ts";
import { resolveWritable } from "./write-access.ts";
import type { WritablePath } from "./write-access.ts";

/** All files' changes, prepared in memory, or the result that refuses the patch. `notes` has one line per file. */
export type PlannedEdits =
  | { readonly kind: "planned"; readonly edits: readonly FileEdit[]; readonly notes: readonly string[] }
  | { readonly kind: "refused"; readonly result: ToolResult };

/** Whose files, from where, and with which intent. */
export interface PlanContext {
  readonly cwd: string;
  readonly crossProfile: boolean;
}

/** Prepares everything that a patch wants, and writes nothing: several sections for one file build on one another. */
export const planEdits = async (
  deps: FileWriteDeps,
  files: readonly FilePatch[],
  context: PlanContext,
): Promise<PlannedEdits> => {
  const states = createFileStates(deps, context);
  const notes: string[] = [];
  for (const file of files) {
    const planned = await planFile(deps, states, file);
    if (planned.kind === "refused") return planned;
    notes.push(planned.note);
  }
  return { kind: "planned", edits: states.edits(), notes };
};

/** A file in the course of the patch. */
interface PlannedFile {
  readonly path: WritablePath;
  readonly before: Buffer | undefined;
  readonly modeBefore: number | undefined;
  /** The session had seen the file, and it has changed since. */
  readonly isStale: boolean;
  current: Buffer | undefined;
  mode: number | undefined;
}

type Refused = { readonly kind: "refused"; readonly result: ToolResult };
type Loaded = { readonly kind: "ok"; readonly file: PlannedFile } | Refused;

interface FileStates {
  load(path: string): Promise<Loaded>;
  edits(): readonly FileEdit[];
}

const refuse = (why: string): Refused => ({ kind: "refused", result: fault(`${why} No file was changed.`) });

const createFileStates = (deps: FileWriteDeps, { cwd, crossProfile }: PlanContext): FileStates => {
  const byPath = new Map<string, PlannedFile>();
  return {
    load: async (path) => {
      const access = await resolveWritable(deps, { path, crossProfile }, cwd);
      if (access.kind === "refused") return access;
      const known = byPath.get(access.path.real);
      if (known !== undefined) return { kind: "ok", file: known };
      const target = await loadWriteTarget(access.path.real, access.path.shown);
      if (target.kind === "problem") return refuse(target.why);
      const file: PlannedFile =
        target.kind === "absent"
          ? {
              path: access.path,
              before: undefined,
              modeBefore: undefined,
              isStale: false,
              current: undefined,
              mode: undefined,
            }
          : {
              path: access.path,
              before: target.bytes,
              modeBefore: target.mode,
              isStale: deps.files.freshness(access.path.real, target.fingerprint) === "changed",
              current: target.bytes,
              mode: undefined,
            };
      byPath.set(access.path.real, file);
      return { kind: "ok", file };
    },
    // Removals come last: a move must have its new file before it loses the old one.
    edits: () =>
      [...byPath.values()]
        .filter(isChanged)
        .map(toEdit)
        .sort((a, b) => Number(a.after === undefined) - Number(b.after === undefined)),
  };
};

const isChanged = ({ before, current, mode, modeBefore }: PlannedFile): boolean => {
  if (before === undefined || current === undefined) return before !== current;
  return !before.equals(current) || (mode !== undefined && mode !== modeBefore);
};

const toEdit = ({ path, before, current, mode, modeBefore }: PlannedFile): FileEdit => ({
  path,
  before,
  after: current,
  ...(modeBefore === undefined ? {} : { modeBefore }),
  ...(mode === undefined ? {} : { modeAfter: mode }),
});

type PlannedNote = { readonly kind: "ok"; readonly note: string } | Refused;

const planFile = async (deps: FileWriteDeps, states: FileStates, patch: FilePatch): Promise<PlannedNote> => {
  const loaded = await states.load(patch.path);
  if (loaded.kind === "refused") return loaded;
  const { file } = loaded;
  // Changing a file through a link is meant; removing what a link leads to is hardly ever.
  if ((patch.kind === "delete" || patch.kind === "move") && (await isLink(file.path.absolute))) {
    return refuse(`${file.path.shown} is a symbolic link; remove or move it in the terminal.`);
  }
  switch (patch.kind) {
    case "add":
      return planAdd(deps, file, patch);
    case "delete":
      return planDelete(deps, file, patch.hunks);
    case "move":
      return planMove(deps, states, { file, patch });
    case "update":
    default:
      return file.current === undefined && patch.otherPath !== undefined
        ? planOtherName(deps, states, { ...patch, path: patch.otherPath })
        : planUpdate(deps, file, patch);
  }
};

const isLink = async (path: string): Promise<boolean> => {
  const stats = await lstat(path).catch(() => undefined); // not there: the caller says so
  return stats?.isSymbolicLink() === true;
};

const planAdd = (deps: FileWriteDeps, file: PlannedFile, patch: Extract<FilePatch, { kind: "add" }>): PlannedNote => {
  if (file.current !== undefined) return refuse(`${file.path.shown} exists already; update it instead of adding it.`);
  const restored = deps.restoreMasks(patch.text, "");
  if (restored.kind === "unknown_mask") return refuse(describeUnknownMask(restored, file.path.shown));
  file.current = Buffer.from(restored.text, "utf8");
  file.mode = patch.mode;
  return { kind: "ok", note: `Added ${file.path.shown}` };
};

const planDelete = (deps: FileWriteDeps, file: PlannedFile, hunks: readonly Hunk[]): PlannedNote => {
  if (file.current === undefined) return refuse(patchErrors.missing(file.path.shown));
  if (hunks.length > 0) {
    const changed = changeText(deps, file, hunks);
    if (changed.kind === "refused") return changed;
    if (changed.text !== "") return refuse(`${file.path.shown} holds more than the lines that the patch deletes.`);
  }
  file.current = undefined;
  return { kind: "ok", note: `Deleted ${file.path.shown}` };
};

const planUpdate = (
  deps: FileWriteDeps,
  file: PlannedFile,
  patch: Extract<FilePatch, { kind: "update" }>,
): PlannedNote => {
  if (file.current === undefined) return refuse(patchErrors.missing(file.path.shown));
  file.mode = patch.mode ?? file.mode;
  if (patch.hunks.length === 0) return { kind: "ok", note: `Changed the mode of ${file.path.shown}` };
  const changed = changeText(deps, file, patch.hunks);
  if (changed.kind === "refused") return changed;
  file.current = changed.bytes;
  const stale = file.isStale ? patchErrors.staleNote : "";
  return { kind: "ok", note: `Updated ${file.path.shown} at ${changed.places}${stale}` };
};

/** A plain diff between two names: the file is whichever of them exists. */
const planOtherName = async (
  deps: FileWriteDeps,
  states: FileStates,
  patch: Extract<FilePatch, { kind: "update" }>,
): Promise<PlannedNote> => {
  const loaded = await states.load(patch.path);
  return loaded.kind === "refused" ? loaded : planUpdate(deps, loaded.file, patch);
};

const planMove = async (
  deps: FileWriteDeps,
  states: FileStates,
  { file, patch }: { readonly file: PlannedFile; readonly patch: Extract<FilePatch, { kind: "move" }> },
): Promise<PlannedNote> => {
  if (file.current === undefined) return refuse(patchErrors.missing(file.path.shown));
  const target = await states.load(patch.to);
  if (target.kind === "refused") return target;
  const to = target.file;
  if (to.current !== undefined) return refuse(`${to.path.shown} exists already; nothing can be moved there.`);
  const changed = patch.hunks.length === 0 ? undefined : changeText(deps, file, patch.hunks);
  if (changed?.kind === "refused") return changed;
  to.current = changed?.bytes ?? file.current;
  to.mode = patch.mode ?? file.mode ?? file.modeBefore;
  file.current = undefined;
  return {
    kind: "ok",
    note: `Moved ${file.path.shown} to ${to.path.shown}${changed === undefined ? "" : ` and changed it at ${changed.places}`}`,
  };
};

type ChangedText =
  | { readonly kind: "ok"; readonly text: string; readonly bytes: Buffer; readonly places: string }
  | Refused;

const changeText = (deps: FileWriteDeps, file: PlannedFile, hunks: readonly Hunk[]): ChangedText => {
  const decoded = decodeFile(file.current ?? Buffer.alloc(0));
  if (decoded.kind !== "text")
    return refuse(patchErrors.notText(file.path.shown, decoded.kind === "binary" ? decoded.type : undefined));
  const restored = restoreHunkMasks(deps, hunks, decoded.text);
  if (restored.kind === "unknown_mask") return refuse(describeUnknownMask(restored, file.path.shown));
  const outcome = applyHunks(decoded.text, restored.hunks);
  if (outcome.kind === "failed")
    return refuse(`${file.path.shown}: ${outcome.why}${file.isStale ? patchErrors.staleHint : ""}`);
  const after: DecodedText = { ...decoded, text: outcome.text };
  return { kind: "ok", text: outcome.text, bytes: encodeText(after), places: describePlaces(outcome.places) };
};
