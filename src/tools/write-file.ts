import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import { commitEdits } from "./editing/commit-edits.ts";
import { loadWriteTarget } from "./editing/editable-file.ts";
import type { ExistingFile } from "./editing/editable-file.ts";
import { askWhereProtected, resolveWritable } from "./editing/write-access.ts";
import type { WritablePath } from "./editing/write-access.ts";
import { describeUnknownMask } from "./files/describe-mask.ts";
import type { FileWriteDeps } from "./files/file-tool-deps.ts";
import { countLines, diffLines, lineCount } from "./files/line-diff.ts";
import { encodeText, lineEndsOf } from "./files/text-file.ts";
import { rememberWritten } from "./editing/remember-written.ts";
import { absolutePath, hostFlavour } from "./resolve-path.ts";
import { answer, fault } from "./tool-answer.ts";

type WriteArgs = { path: string; content: string; cross_profile: boolean };

/**
 * `write_file`: replaces or creates a whole file, atomically, with its folders. The bytes are those of `content`, except:
 * a byte order mark and UTF-16 of the old file stay; where the old file uses CRLF throughout and the content LF
 * throughout, CRLF stays; masks are replaced by what the file held under them. A file that somebody else changed since the
 * agent saw it is not overwritten.
 */
export const createWriteFileTool = (deps: FileWriteDeps): Tool =>
  defineTool<WriteArgs>({
    name: "write_file",
    toolset: "file",
    description: "Create or overwrite a whole file; makes folders. To change parts use patch.",
    parameters: z.object({
      path: z.string(),
      content: z.string(),
      cross_profile: z.boolean().default(false),
    }),
    effects: "write",
    concurrency: ({ path }, cwd) => {
      const absolute = absolutePath(path, { cwd, home: deps.home, flavour: hostFlavour() });
      return absolute.kind === "ok" ? { kind: "paths", paths: [absolute.path] } : { kind: "anything" };
    },
    summarise: ({ path, content }) => `write ${path} (${countLines(lineCount(content))})`,
    run: async (args, context) => {
      const access = await resolveWritable(deps, { path: args.path, crossProfile: args.cross_profile }, context.cwd());
      return access.kind === "refused" ? access.result : writeFileTool(deps, { args, path: access.path, context });
    },
  });

interface CheckedWrite {
  readonly args: WriteArgs;
  readonly path: WritablePath;
  readonly context: ToolContext;
}

const writeFileTool = async (deps: FileWriteDeps, { args, path, context }: CheckedWrite): Promise<ToolResult> => {
  const target = await loadWriteTarget(path.real, path.shown);
  if (target.kind === "problem") return fault(target.why);
  const existing = target.kind === "file" ? target : undefined;
  const freshness = existing === undefined ? "as_seen" : deps.files.freshness(path.real, existing.fingerprint);
  if (freshness === "changed") {
    return fault(`${path.shown} was changed by somebody else since you last read it. Read it again, then write.`);
  }
  const restored = deps.restoreMasks(args.content, existing?.text?.text ?? "");
  if (restored.kind === "unknown_mask") return fault(describeUnknownMask(restored, path.shown));
  const after = bytesToWrite(restored.text, existing);
  if (existing?.bytes.equals(after) === true) return answer(`${path.shown} already has exactly this content.`);
  const refusal = await askWhereProtected(deps, [path], context);
  if (refusal !== undefined) return refusal;
  context.signal.throwIfAborted();
  const outcome = await commitEdits([
    { path, before: existing?.bytes, after, ...(existing === undefined ? {} : { modeBefore: existing.mode }) },
  ]);
  if (outcome.kind === "failed") return fault(outcome.why);
  await rememberWritten(deps.files, path.real, after);
  return describeWrite({ path, existing, content: restored.text, wasSeen: freshness === "as_seen" });
};

const bytesToWrite = (content: string, existing: ExistingFile | undefined): Buffer => {
  const old = existing?.text;
  const startsWithMark = content.startsWith("\uFEFF");
  const text = startsWithMark ? content.slice(1) : content;
  const keepsCrlf = old !== undefined && lineEndsOf(old.text) === "crlf" && lineEndsOf(text) === "lf";
  return encodeText({
    text: keepsCrlf ? text.replaceAll("\n", "\r\n") : text,
    encoding: old?.encoding ?? "utf-8",
    hasMark: startsWithMark || old?.hasMark === true,
  });
};

const describeWrite = ({
  path,
  existing,
  content,
  wasSeen,
}: {
  readonly path: WritablePath;
  readonly existing: ExistingFile | undefined;
  readonly content: string;
  readonly wasSeen: boolean;
}): ToolResult => {
  const lines = countLines(lineCount(content));
  const names = { before: existing === undefined ? undefined : path.shown, after: path.shown };
  if (existing === undefined) return answer(`Created ${path.shown} (${lines}).`, diffLines(names, "", content).diff);
  if (existing.text === undefined)
    return answer(`Overwrote ${path.shown} (${lines}); it was ${existing.notText ?? "no text"} before.`);
  const { diff, added, removed } = diffLines(
    names,
    existing.text.text.replaceAll("\r\n", "\n"),
    content.replaceAll("\r\n", "\n"),
  );
  const note = wasSeen ? "" : " You had not read it before.";
  return answer(`Wrote ${path.shown} (${lines}, +${added} -${removed}).${note}`, diff);
};
