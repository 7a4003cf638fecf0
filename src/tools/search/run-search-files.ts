import { stat } from "node:fs/promises";
import { basename } from "node:path";
import picomatch from "picomatch";
import type { ToolContext, ToolResult } from "../../agent/tool.ts";
import { isMissing } from "../../base/system-error.ts";
import { describeMissing } from "../files/describe-missing.ts";
import { describeFileError } from "../files/open-regular.ts";
import { absolutePath, displayPath, hostFlavour } from "../resolve-path.ts";
import { COUNTED_BEYOND, type SearchArgs, type SearchDeps } from "./search-call.ts";
import { answer, fault } from "../tool-answer.ts";
import { findFiles } from "./find-files.ts";
import { isIgnored, rulesAbove } from "./ignore-rules.ts";
import { searchOwn } from "./own-search.ts";
import { countResults, renderHits } from "./render-hits.ts";
import type { HitView } from "./render-hits.ts";
import { searchRipgrep } from "./ripgrep.ts";
import type { FileHits, SearchOutcome, SearchRequest } from "./search-engine.ts";
import { comparePaths } from "./walk-files.ts";

/** Carries out a `search_files` call. */
export const runSearchFiles = async (deps: SearchDeps, args: SearchArgs, context: ToolContext): Promise<ToolResult> => {
  if (args.pattern === "") return fault("The pattern is empty.");
  const cwd = context.cwd();
  const resolved = absolutePath(args.path, { cwd, home: deps.home, flavour: hostFlavour() });
  if (resolved.kind === "invalid") return fault(resolved.why);
  const root = await rootOf(resolved.path, cwd);
  if (root.kind === "problem") return fault(root.why);
  const request = await toRequest(args, { root: resolved.path, isFile: root.kind === "file", signal: context.signal });
  const outcome = args.target === "files" ? await findFiles(request) : await searchContent(deps, request);
  if (outcome.kind === "unsupported") return fault(outcome.why);
  const sorted = [...outcome.files].sort((a, b) => comparePaths(a.path, b.path));
  const view: HitView = {
    mode: request.mode,
    limit: args.limit,
    offset: args.offset,
    context: args.context,
    maxChars: deps.limits.readMaxChars,
    nameOf: (path) => displayPath(path, cwd),
    redact: deps.redact,
  };
  return renderResult({ ...outcome, files: sorted }, { view, args });
};

type Root = { readonly kind: "file" | "folder" } | { readonly kind: "problem"; readonly why: string };

const rootOf = async (path: string, cwd: string): Promise<Root> => {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { kind: "folder" };
    return stats.isFile() ? { kind: "file" } : { kind: "problem", why: `${path} is neither a file nor a folder.` };
  } catch (error) {
    return {
      kind: "problem",
      why: isMissing(error) ? await describeMissing(path, cwd) : describeFileError(error, path),
    };
  }
};

interface Scope {
  readonly root: string;
  readonly isFile: boolean;
  readonly signal: AbortSignal;
}

const toRequest = async (args: SearchArgs, { root, isFile, signal }: Scope): Promise<SearchRequest> => {
  const globs = [args.file_glob, args.target === "files" ? args.pattern : undefined].filter(
    (glob) => glob !== undefined,
  );
  const tests = [
    ...(args.file_glob === undefined ? [] : [globTest(args.file_glob)]),
    ...(args.target === "files" ? [nameTest(args.pattern)] : []),
  ];
  return {
    pattern: args.pattern,
    root,
    isFile,
    isWanted: (name) => tests.every((isMatch) => isMatch(name)),
    nameGlob: args.file_glob !== undefined && SIMPLE_GLOB.test(args.file_glob) ? args.file_glob : undefined,
    includesHidden: globs.some((glob) => /(?:^|[\\/{,])\.[^./\\]/u.test(glob)),
    honoursIgnores: isFile || !isIgnored(await rulesAbove(root), root, true),
    mode: modeOf(args),
    context: args.context,
    enough: args.offset + args.limit + COUNTED_BEYOND,
    signal,
  };
};

/** Globs that mean the same to every engine. */
const SIMPLE_GLOB = /^\*\.[\w-]+$/u;

const modeOf = ({ target, output_mode }: SearchArgs): SearchRequest["mode"] => {
  if (target === "files") return "files";
  if (output_mode === "content") return "lines";
  return output_mode === "count" ? "counts" : "files";
};

/** A glob with a slash means the path below the searched folder, one without the name alone. */
const globTest = (glob: string): ((name: string) => boolean) => {
  const cleaned = glob.replaceAll("\\", "/").replace(/^\.?\//u, "");
  const isMatch = picomatch(cleaned, { dot: true });
  return cleaned.includes("/") ? (name) => isMatch(name) : (name) => isMatch(basename(name));
};

/** What is no glob is a part of the name, in either case. */
const nameTest = (pattern: string): ((name: string) => boolean) => {
  if (/[*?[\]{}]/u.test(pattern)) return globTest(pattern);
  const part = pattern.replace(/^\.\//u, "").toLowerCase();
  return part.includes("/")
    ? (name) => name.toLowerCase().includes(part)
    : (name) => basename(name).toLowerCase().includes(part);
};

const searchContent = async (deps: SearchDeps, request: SearchRequest): Promise<SearchOutcome> => {
  const program = await deps.ripgrep();
  if (program === undefined) return searchOwn(request);
  const outcome = await searchRipgrep(program, request);
  // Our engine takes what ripgrep cannot (look-around, back references, no regular expression at all) and says what it did.
  return outcome.kind === "unsupported" ? searchOwn(request) : outcome;
};

interface ResultContext {
  readonly view: HitView;
  readonly args: SearchArgs;
}

const renderResult = (
  {
    files,
    isComplete,
    notes,
  }: { readonly files: readonly FileHits[]; readonly isComplete: boolean; readonly notes: readonly string[] },
  { view, args }: ResultContext,
): ToolResult => {
  const hints =
    args.target === "content" && /\\[nr]/u.test(args.pattern) ? ["a pattern matches within one line only"] : [];
  const remarks = [...notes, ...hints];
  const bracketed = (text: string): string => `[${[text, ...remarks].join("; ")}]`;
  if (files.length === 0)
    return answer(
      bracketed(`nothing found${isComplete ? "" : " so far"}; hidden and git-ignored files are not searched`),
    );
  if (args.target === "files" && args.output_mode === "count")
    return answer(bracketed(totalOf(files.length, isComplete, view.mode)));
  const { text, shown, total } = renderHits(files, view);
  if (shown === 0) return fault(`There are only ${countResults(total, view.mode)}.`);
  const first = view.offset + 1;
  const last = view.offset + shown;
  if (first === 1 && last === total && isComplete)
    return answer(`${text}\n${bracketed(countResults(total, view.mode))}`);
  const more = last < total || !isComplete ? `; continue with offset=${last}` : "";
  return answer(`${text}\n${bracketed(`${first}-${last} of ${totalOf(total, isComplete, view.mode)}${more}`)}`);
};

const totalOf = (total: number, isComplete: boolean, mode: HitView["mode"]): string =>
  isComplete ? countResults(total, mode) : `at least ${countResults(total, mode)}`;
