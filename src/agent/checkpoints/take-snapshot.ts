import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { absent } from "../../base/system-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import { buildTree } from "./build-tree.ts";
import type { Project, ShadowStore } from "./shadow-store.ts";
import { listSnapshots, renderMessage, type Snapshot, type SnapshotMeta } from "./snapshot-record.ts";

export interface SnapshotRequest extends Pick<SnapshotMeta, "turn" | "session" | "kind" | "whole"> {
  readonly project: Project;
  /** Relative paths that must be in it if they are files, ignored or not. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly signal: AbortSignal;
}

/** Keeps the present state of a folder as its newest snapshot. To be called with the store's lock. */
export const takeSnapshot = async (store: ShadowStore, request: SnapshotRequest): Promise<Snapshot> => {
  const { project, signal } = request;
  await using built = await buildTree(store, request);
  const [before] = await listSnapshots(store, project, { signal, limit: 1 });
  const { turn, session, kind, whole, summary } = request;
  const number = (before?.number ?? 0) + 1;
  const at = store.clock.now();
  const { tree, modes } = built;
  const meta: SnapshotMeta = { version: 1, number, at, turn, session, kind, whole, modes };
  const parent = before?.commit;
  const commit = await commitTree(store, { tree, parent, summary, meta, signal });
  // Known before the ref moves: a snapshot whose folder nobody knows could not be listed.
  await touchProject(store, project);
  await moveRef(store, { project, to: commit, from: parent, signal });
  // After the ref: an index that is older than the ref is only slower, one that is newer would name objects that pruning may take.
  if (whole) await rename(built.index, project.index).catch(absent); // of an empty folder git writes no index
  return { ...meta, project, commit, tree, parent, summary };
};

/**
 * Puts further paths, as they are now, into a snapshot. The snapshot is replaced if it is the newest; else a new one
 * of the same turn follows it. To be called with the store's lock.
 */
export const extendSnapshot = async (
  store: ShadowStore,
  snapshot: Snapshot,
  { paths, signal }: { readonly paths: readonly string[]; readonly signal: AbortSignal },
): Promise<Snapshot> => {
  const { project, whole, summary } = snapshot;
  await using built = await buildTree(store, { project, whole, paths, base: snapshot.commit, signal });
  const [newest] = await listSnapshots(store, project, { signal, limit: 1 });
  const isNewest = newest?.commit === snapshot.commit;
  const number = isNewest ? snapshot.number : (newest?.number ?? 0) + 1;
  const { version, at, turn, session, kind } = snapshot;
  const meta: SnapshotMeta = { version, number, at, turn, session, kind, whole, modes: built.modes };
  const parent = isNewest ? snapshot.parent : newest?.commit;
  const commit = await commitTree(store, { tree: built.tree, parent, summary, meta, signal });
  await moveRef(store, { project, to: commit, from: newest?.commit, signal });
  return { ...meta, project, commit, tree: built.tree, parent, summary };
};

interface NewCommit {
  readonly tree: string;
  readonly parent: string | undefined;
  readonly summary: string;
  readonly meta: SnapshotMeta;
  readonly signal: AbortSignal;
}

const commitTree = async (store: ShadowStore, commit: NewCommit): Promise<string> => {
  const parents = commit.parent === undefined ? [] : ["-p", commit.parent];
  const answer = await store.git({
    args: ["commit-tree", commit.tree, ...parents, "-F", "-"],
    input: renderMessage(commit.summary, commit.meta),
    signal: commit.signal,
  });
  return answer.stdout.toString("utf8").trim();
};

interface RefMove {
  readonly project: Project;
  readonly to: string;
  readonly from: string | undefined;
  readonly signal: AbortSignal;
}

const NONE = "0".repeat(40);

const moveRef = async (store: ShadowStore, { project, to, from, signal }: RefMove): Promise<void> => {
  await store.git({ args: ["update-ref", project.ref, to, from ?? NONE], signal });
};

const projectFile = z.object({ workdir: z.string(), created_at: z.number(), last_touch: z.number() });

/** A project's file, as it is on disk. */
export type ProjectFile = z.infer<typeof projectFile>;

/** Undefined where it is missing or says nothing usable. */
export const readProjectFile = async (path: string): Promise<ProjectFile | undefined> => {
  const text = await readFile(path, "utf8").catch(absent);
  return text === undefined ? undefined : projectFile.safeParse(parseJson(text)).data;
};

const touchProject = async (store: ShadowStore, project: Project): Promise<void> => {
  const now = store.clock.now() / 1000;
  const before = await readProjectFile(project.file);
  const file: ProjectFile = { workdir: project.root, created_at: before?.created_at ?? now, last_touch: now };
  await mkdir(dirname(project.file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(project.file, `${JSON.stringify(file)}\n`, { mode: 0o600 });
};
