import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Readable } from "node:stream";
import * as z from "zod";
import { createHitCollector } from "./hit-collector.ts";
import type { HitCollector } from "./hit-collector.ts";
import { jsonLines } from "./json-lines.ts";
import { largeFilesNote, unreadableNote } from "./own-search.ts";
import { MAX_SEARCHED_BYTES } from "./search-engine.ts";
import type { FileHits, SearchOutcome, SearchRequest } from "./search-engine.ts";
import { walkFiles } from "./walk-files.ts";

/**
 * Searches with ripgrep: one process, arguments as an array, results as JSON lines. It is ended on abort and as soon as
 * enough was found. Its settings make it find what our own engine finds: `.gitignore` files count, other ignore files and
 * the person's ripgrep configuration do not.
 */
export const searchRipgrep = async (program: string, request: SearchRequest): Promise<SearchOutcome> => {
  const [outcome, large] = await Promise.all([run(program, request), largeFiles(request)]);
  if (outcome.kind === "unsupported" || large.length === 0) return outcome;
  return { ...outcome, notes: [...outcome.notes, largeFilesNote(large)] };
};

const run = async (program: string, request: SearchRequest): Promise<SearchOutcome> => {
  request.signal.throwIfAborted();
  // An empty environment: no RIPGREP_CONFIG_PATH, and no keys for a program that needs none.
  const child = spawn(program, ripgrepArguments(request), { stdio: ["ignore", "pipe", "pipe"], env: {} });
  const ended = endOf(child);
  const stop = (): void => void child.kill();
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    const errors = collectText(child.stderr);
    const gathered = await gather(child.stdout, request);
    if (!gathered.isComplete) child.kill();
    const end = await ended;
    request.signal.throwIfAborted();
    if (end.kind === "not_started") return { kind: "unsupported", why: end.why };
    return toOutcome(gathered, { exitCode: end.exitCode, stderr: await errors });
  } finally {
    request.signal.removeEventListener("abort", stop);
    child.kill();
    await ended;
  }
};

/** The command line; pattern and path stand where they cannot be taken for options. */
const ripgrepArguments = (request: SearchRequest): readonly string[] => [
  "--json",
  "--no-config",
  "--crlf",
  "--sort",
  "path",
  ...(request.honoursIgnores
    ? ["--no-require-git", "--no-ignore-dot", "--no-ignore-exclude", "--no-ignore-global"]
    : ["--no-ignore"]),
  ...(request.includesHidden ? ["--hidden"] : []),
  ...(request.isFile ? [] : ["--max-filesize", String(MAX_SEARCHED_BYTES), "--glob", "!.git"]),
  ...(request.nameGlob === undefined ? [] : ["--type-add", `wanted:${request.nameGlob}`, "--type", "wanted"]),
  ...(request.mode === "files" ? ["--max-count", "1"] : []),
  ...(request.mode === "lines" && request.context > 0 ? ["--context", String(request.context)] : []),
  "--regexp",
  request.pattern,
  "--",
  request.root,
];

type ChildEnd =
  | { readonly kind: "ended"; readonly exitCode: number | null }
  | { readonly kind: "not_started"; readonly why: string };

const endOf = async (child: ChildProcessByStdio<null, Readable, Readable>): Promise<ChildEnd> => {
  try {
    const [exitCode] = await once(child, "close");
    return { kind: "ended", exitCode: typeof exitCode === "number" ? exitCode : null };
  } catch (error) {
    return { kind: "not_started", why: error instanceof Error ? error.message : String(error) };
  }
};

const MAX_STDERR_CHARS = 16_384;

const collectText = async (stream: Readable): Promise<string> => {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) if (text.length < MAX_STDERR_CHARS) text += String(chunk);
  return text;
};

interface Gathered {
  readonly files: readonly FileHits[];
  readonly isComplete: boolean;
}

const gather = async (stdout: Readable, request: SearchRequest): Promise<Gathered> => {
  const gatherer = createGatherer(request);
  for await (const line of jsonLines(stdout.setEncoding("utf8"))) {
    gatherer.add(line);
    if (gatherer.hasEnough()) return { files: gatherer.files(), isComplete: false };
  }
  return { files: gatherer.files(), isComplete: true };
};

const TEXT = z.union([
  z.object({ text: z.string() }).transform(({ text }) => text),
  // What is no UTF-8 comes as base64.
  z.object({ bytes: z.base64() }).transform(({ bytes }) => Buffer.from(bytes, "base64").toString("utf8")),
]);
const LINE = z.object({
  path: TEXT,
  lines: TEXT,
  line_number: z.number(),
  submatches: z.array(z.object({ start: z.number() })),
});
const EVENT = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: TEXT }) }),
  z.object({ type: z.literal("match"), data: LINE }),
  z.object({ type: z.literal("context"), data: LINE }),
  z.object({ type: z.literal("end"), data: z.object({ path: TEXT, binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal("summary") }),
]);

interface Gatherer {
  add(line: string): void;
  hasEnough(): boolean;
  files(): readonly FileHits[];
}

const createGatherer = (request: SearchRequest): Gatherer => {
  const files: FileHits[] = [];
  let open: { readonly path: string; readonly collector: HitCollector } | undefined;
  let units = 0;

  const isWanted = (path: string): boolean =>
    request.isFile || request.isWanted(relative(request.root, path).split(sep).join("/"));

  const close = (isBinary: boolean): void => {
    if (open !== undefined && !isBinary && open.collector.matches > 0) {
      files.push(open.collector.hits(open.path));
      units += request.mode === "lines" ? open.collector.matches : 1;
    }
    open = undefined;
  };

  return {
    add: (line) => {
      if (line === "") return;
      const event = EVENT.parse(JSON.parse(line));
      switch (event.type) {
        case "begin":
          open = isWanted(event.data.path)
            ? { path: event.data.path, collector: createHitCollector(request.context, request.mode === "lines") }
            : undefined;
          break;
        case "match":
        case "context":
          open?.collector.add(event.data.line_number, textOfLine(event.data), columnOf(event.data));
          break;
        case "end":
          close(event.data.binary_offset !== null);
          break;
        case "summary":
        default:
          break;
      }
    },
    hasEnough: () => units + (request.mode === "lines" ? (open?.collector.matches ?? 0) : 0) >= request.enough,
    files: () => {
      close(false);
      return files;
    },
  };
};

const textOfLine = ({ lines, line_number }: z.infer<typeof LINE>): string => {
  const text = lines.replace(/\r?\n$/u, "");
  return line_number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
};

/** ripgrep counts bytes; we count characters. */
const columnOf = ({ lines, submatches }: z.infer<typeof LINE>): number | undefined => {
  const start = submatches[0]?.start;
  return start === undefined ? undefined : Buffer.from(lines).subarray(0, start).toString("utf8").length;
};

const SOME_FAILED = 2;

const toOutcome = (
  { files, isComplete }: Gathered,
  { exitCode, stderr }: { readonly exitCode: number | null; readonly stderr: string },
): SearchOutcome => {
  if (exitCode !== SOME_FAILED || !isComplete) return { kind: "found", files, isComplete, notes: [] };
  const complaints = stderr.split("\n").filter((line) => line !== "");
  // A file that cannot be read is named with the system's error; everything else says that the call itself was wrong.
  const unreadable = complaints.filter((line) => /\(os error \d+\)$/u.test(line)).length;
  if (unreadable === 0) return { kind: "unsupported", why: stderr.trim() };
  return { kind: "found", files, isComplete, notes: [unreadableNote(unreadable)] };
};

/** ripgrep leaves large files out without a word; so they are looked for, as far as that is cheap. */
const MAX_SIZES_LOOKED_AT = 20_000;

const largeFiles = async (request: SearchRequest): Promise<readonly string[]> => {
  const large: string[] = [];
  if (request.isFile) return large;
  let seen = 0;
  for await (const path of walkFiles({ ...request, onUnreadable: () => undefined })) {
    seen += 1;
    if (seen > MAX_SIZES_LOOKED_AT) break;
    const name = relative(request.root, path).split(sep).join("/");
    if (!request.isWanted(name)) continue;
    const stats = await stat(path).catch(() => undefined); // gone meanwhile
    if (stats !== undefined && stats.size > MAX_SEARCHED_BYTES) large.push(name);
  }
  return large;
};
