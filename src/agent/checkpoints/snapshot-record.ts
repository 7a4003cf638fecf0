import * as z from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { GitAnswer } from "./run-git.ts";
import type { Project, ShadowStore } from "./shadow-store.ts";

/** The permission bits of a snapshot's files: those of most, and the others one by one. */
const modes = z.object({
  file: z.number().int(),
  exec: z.number().int(),
  other: z.record(z.string(), z.number().int()),
});

/** Permission bits, of which git itself keeps only one. */
export type SnapshotModes = z.infer<typeof modes>;

const meta = z.object({
  version: z.literal(1),
  /** Counts up within a project; the journal refers to it. */
  number: z.number().int(),
  /** ms UTC. */
  at: z.number(),
  turn: z.string(),
  session: z.string(),
  /** `restore` = the present, kept before a restore. */
  kind: z.enum(["turn", "restore"]),
  whole: z.boolean(),
  modes,
});

/** What a snapshot knows of itself, as its commit's message keeps it. */
export type SnapshotMeta = z.infer<typeof meta>;

/** One kept state of a folder. */
export interface Snapshot extends SnapshotMeta {
  readonly project: Project;
  readonly commit: string;
  readonly tree: string;
  readonly parent: string | undefined;
  /** What was about to be done, one line. */
  readonly summary: string;
}

/** The message of a snapshot's commit: a line for people, then the data. */
export const renderMessage = (summary: string, data: SnapshotMeta): string =>
  `${summary.replaceAll(/\s+/g, " ").trim().slice(0, 200) || "change"}\n\n${JSON.stringify(data)}\n`;

const FORMAT = "%H%x1f%T%x1f%P%x1f%ct%x1f%B";

/** A project's newest snapshot's commit, if it has any. */
export const headOf = async (
  store: ShadowStore,
  project: Project,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const answer = await store.git({
    args: ["rev-parse", "--verify", "--quiet", `${project.ref}^{commit}`],
    signal,
    allowed: [1],
  });
  return answer.code === 0 ? answer.stdout.toString("utf8").trim() : undefined;
};

/** A project's snapshots, newest first. One that the existing system made counts as a whole one of ordinary modes. */
export const listSnapshots = async (
  store: ShadowStore,
  project: Project,
  { signal, limit }: { readonly signal: AbortSignal; readonly limit?: number },
): Promise<readonly Snapshot[]> => {
  const head = await headOf(store, project, signal);
  if (head === undefined) return [];
  const count = limit === undefined ? [] : [`--max-count=${limit}`];
  const args = ["log", "-z", "--first-parent", `--format=${FORMAT}`, ...count, head, "--"];
  return parseLog(project, await store.git({ args, signal }));
};

const parseLog = (project: Project, { stdout }: GitAnswer): readonly Snapshot[] => {
  const records = stdout
    .toString("utf8")
    .split("\0")
    .filter((record) => record.trim() !== "");
  return records.map((record, index) => {
    const [commit = "", tree = "", parents = "", seconds = "0", message = ""] = record.split("\x1f");
    const [summary = "", ...rest] = message.split("\n");
    const data = readMeta(rest.join("\n")) ?? {
      version: 1 as const,
      number: records.length - index,
      at: Number(seconds) * 1000,
      turn: "",
      session: "",
      kind: "turn" as const,
      whole: true,
      modes: ORDINARY_MODES,
    };
    const parent = parents.split(" ")[0] ?? "";
    return { ...data, project, commit, tree, parent: parent === "" ? undefined : parent, summary };
  });
};

const ORDINARY_MODES: SnapshotModes = { file: 0o644, exec: 0o755, other: {} };

/** Undefined = it is another system's commit, which says nothing more of itself. */
const readMeta = (text: string): SnapshotMeta | undefined => meta.safeParse(parseJson(text)).data;
