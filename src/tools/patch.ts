import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Concurrency, Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { commitEdits } from "./editing/commit-edits.ts";
import type { FileEdit } from "./editing/commit-edits.ts";
import { loadWriteTarget } from "./editing/editable-file.ts";
import { describeTolerance } from "./editing/match-lines.ts";
import { parsePatch } from "./editing/parse-patch.ts";
import { listLines, patchErrors } from "./editing/patch-words.ts";
import { planEdits } from "./editing/plan-edits.ts";
import { rememberWritten } from "./editing/remember-written.ts";
import { replaceText } from "./editing/replace-text.ts";
import type { ReplaceOutcome } from "./editing/replace-text.ts";
import { askWhereProtected, resolveWritable } from "./editing/write-access.ts";
import { describeUnknownMask } from "./files/describe-mask.ts";
import type { FileWriteDeps } from "./files/file-tool-deps.ts";
import { diffLines } from "./files/line-diff.ts";
import { decodeFile, encodeText } from "./files/text-file.ts";
import { absolutePath, hostFlavour } from "./resolve-path.ts";
import { answer, fault } from "./tool-answer.ts";

type PatchArgs = {
  mode: "replace" | "patch";
  path?: string | undefined;
  old_string?: string | undefined;
  new_string?: string | undefined;
  replace_all: boolean;
  patch?: string | undefined;
  cross_profile: boolean;
};

/**
 * `patch`: changes parts of files. `replace` exchanges one text in one file; `patch` takes `*** Begin Patch` blocks or a
 * unified diff over any number of files, all or nothing. Looked for exactly, then with tolerated white space, then (hunks)
 * with context dropped; what fits at several places is refused with their line numbers. Byte order mark, encoding, line
 * ends, final line end and mode of files stay. Converting line ends is no patch: use a program for it.
 */
export const createPatchTool = (deps: FileWriteDeps): Tool =>
  defineTool<PatchArgs>({
    name: "patch",
    toolset: "file",
    description:
      "Change files. replace: old_string (unique, or replace_all) by new_string. patch: unified diff or *** Begin Patch blocks.",
    parameters: z.object({
      mode: z.enum(["replace", "patch"]).default("replace"),
      path: z.string().optional(),
      old_string: z.string().optional(),
      new_string: z.string().optional(),
      replace_all: z.boolean().default(false),
      patch: z.string().optional(),
      cross_profile: z.boolean().default(false),
    }),
    effects: "write",
    concurrency: (args, cwd) => touchedPaths(args, { cwd, home: deps.home }),
    summarise: (args) => `patch ${namedFiles(args).join(", ") || "files"}`,
    run: (args, context) => (meansPatch(args) ? runPatch(deps, args, context) : runReplace(deps, args, context)),
  });

/** Models leave `mode` out, or name the other one than they fill in; the given texts decide. */
const meansPatch = ({ mode, patch, old_string }: PatchArgs): boolean =>
  mode === "patch" ? patch !== undefined || old_string === undefined : patch !== undefined && old_string === undefined;

const namedFiles = (args: PatchArgs): readonly string[] => {
  if (!meansPatch(args)) return args.path === undefined ? [] : [args.path];
  const parsed = parsePatch(args.patch ?? "", args.path);
  if (parsed.kind === "invalid") return [];
  return parsed.files.flatMap((file) => [
    file.path,
    ...(file.kind === "move" ? [file.to] : []),
    ...(file.kind === "update" && file.otherPath !== undefined ? [file.otherPath] : []),
  ]);
};

const touchedPaths = (args: PatchArgs, { cwd, home }: { readonly cwd: string; readonly home: string }): Concurrency => {
  const paths = namedFiles(args).map((path) => absolutePath(path, { cwd, home, flavour: hostFlavour() }));
  return { kind: "paths", paths: paths.flatMap((path) => (path.kind === "ok" ? [path.path] : [])) };
};

const runReplace = async (deps: FileWriteDeps, args: PatchArgs, context: ToolContext): Promise<ToolResult> => {
  const { path: name, old_string: oldText, new_string: newText } = args;
  if (name === undefined || oldText === undefined || newText === undefined) {
    return fault("replace takes path, old_string and new_string (empty to delete).");
  }
  if (oldText === "") return fault("old_string is empty. To write a whole file use write_file.");
  if (oldText === newText) return fault("old_string and new_string are the same: nothing to change.");
  const access = await resolveWritable(deps, { path: name, crossProfile: args.cross_profile }, context.cwd());
  if (access.kind === "refused") return access.result;
  const { path } = access;
  const target = await loadWriteTarget(path.real, path.shown);
  if (target.kind === "problem") return fault(target.why);
  if (target.kind === "absent") return fault(patchErrors.missing(path.shown));
  const decoded = decodeFile(target.bytes);
  if (decoded.kind !== "text")
    return fault(patchErrors.notText(path.shown, decoded.kind === "binary" ? decoded.type : undefined));
  const restored = [oldText, newText].map((text) => deps.restoreMasks(text, decoded.text));
  const unknown = restored.find((each) => each.kind === "unknown_mask");
  if (unknown !== undefined) return fault(describeUnknownMask(unknown, path.shown));
  const [oldRestored = "", newRestored = ""] = restored.map((each) => (each.kind === "restored" ? each.text : ""));
  const outcome = replaceText(decoded.text, {
    oldText: oldRestored,
    newText: newRestored,
    replacesAll: args.replace_all,
  });
  const isStale = deps.files.freshness(path.real, target.fingerprint) === "changed";
  if (outcome.kind !== "replaced")
    return fault(`${describeMiss(outcome, path.shown)}${isStale ? patchErrors.staleHint : ""}`);
  const edit: FileEdit = {
    path,
    before: target.bytes,
    after: encodeText({ ...decoded, text: outcome.text }),
    modeBefore: target.mode,
  };
  if (edit.after?.equals(target.bytes) === true) return answer(`${path.shown} is already so: nothing changed.`);
  const how = describeTolerance(outcome.tolerance);
  const note = `Updated ${path.shown} at ${listLines(outcome.lines)}${how === "" ? "" : ` (${how})`}${isStale ? patchErrors.staleNote : ""}`;
  return writeEdits(deps, { edits: [edit], notes: [note] }, context);
};

const describeMiss = (outcome: Exclude<ReplaceOutcome, { kind: "replaced" }>, path: string): string => {
  switch (outcome.kind) {
    case "ambiguous":
      return `old_string stands ${outcome.lines.length} times in ${path}: ${listLines(outcome.lines)}. Add surrounding lines to make it unique, or set replace_all.`;
    case "unshiftable":
      return `old_string was found at line ${outcome.line} of ${path} with other indentation, and new_string cannot be shifted like it. Give both with the file's indentation.`;
    case "not_found":
    default: {
      const applied =
        outcome.newTextAtLine === undefined
          ? ""
          : ` new_string stands there already, at line ${outcome.newTextAtLine}.`;
      const nearest =
        outcome.nearest === undefined
          ? " Nothing in the file is like it."
          : ` The nearest part is:\n${outcome.nearest}`;
      return `old_string is not in ${path}.${applied}${nearest}`;
    }
  }
};

const runPatch = async (deps: FileWriteDeps, args: PatchArgs, context: ToolContext): Promise<ToolResult> => {
  if (args.patch === undefined)
    return fault("mode patch takes the parameter patch: a unified diff or *** Begin Patch blocks.");
  const parsed = parsePatch(args.patch, args.path);
  if (parsed.kind === "invalid") return fault(parsed.why);
  const planned = await planEdits(deps, parsed.files, { cwd: context.cwd(), crossProfile: args.cross_profile });
  if (planned.kind === "refused") return planned.result;
  return planned.edits.length === 0
    ? answer("Everything is already so: nothing changed.")
    : writeEdits(deps, planned, context);
};

interface ReadyEdits {
  readonly edits: readonly FileEdit[];
  readonly notes: readonly string[];
}

const writeEdits = async (
  deps: FileWriteDeps,
  { edits, notes }: ReadyEdits,
  context: ToolContext,
): Promise<ToolResult> => {
  const refusal = await askWhereProtected(
    deps,
    edits.map(({ path }) => path),
    context,
  );
  if (refusal !== undefined) return refusal;
  context.signal.throwIfAborted();
  const outcome = await commitEdits(edits);
  if (outcome.kind === "failed") return fault(outcome.why);
  for (const { path, after } of edits) await rememberWritten(deps.files, path.real, after);
  const diffs = edits.map(diffOf);
  const added = diffs.reduce((sum, each) => sum + each.added, 0);
  const removed = diffs.reduce((sum, each) => sum + each.removed, 0);
  return answer(`${notes.join("\n")}\n+${added} -${removed} lines`, diffs.map(({ diff }) => diff).join(""));
};

const diffOf = ({
  path,
  before,
  after,
}: FileEdit): { readonly diff: string; readonly added: number; readonly removed: number } => {
  const oldText = textToCompare(before);
  const newText = textToCompare(after);
  if (oldText === undefined || newText === undefined)
    return { diff: `Binary file ${path.shown} changed\n`, added: 0, removed: 0 };
  const names = {
    before: before === undefined ? undefined : path.shown,
    after: after === undefined ? undefined : path.shown,
  };
  return diffLines(names, oldText, newText);
};

const textToCompare = (bytes: Buffer | undefined): string | undefined => {
  if (bytes === undefined) return "";
  const decoded = decodeFile(bytes);
  return decoded.kind === "binary" ? undefined : decoded.text.replaceAll("\r\n", "\n");
};
