import { relative, sep } from "node:path";
import { isInside } from "../../base/is-inside.ts";
import { buildTree } from "./build-tree.ts";
import { diffTrees, pathsIn } from "./compare-trees.ts";
import { checkpointErrors } from "./errors.ts";
import { findScope, settledPath, type ScopePlaces } from "./find-scope.ts";
import { readTouches } from "./journal.ts";
import { listProjects } from "./prune-store.ts";
import { restoreSnapshot, type RestoreReport } from "./restore-snapshot.ts";
import type { ShadowStore } from "./shadow-store.ts";
import { listSnapshots, type Snapshot } from "./snapshot-record.ts";

/** What one turn (or one restore) kept, in one folder or several. */
export interface CheckpointEntry {
  /** 1 = the newest. */
  readonly number: number;
  /** ms UTC. */
  readonly at: number;
  readonly turn: string;
  readonly session: string;
  readonly kind: Snapshot["kind"];
  readonly summary: string;
  readonly snapshots: readonly Snapshot[];
  /** What the agent's calls touched after it, absolute, in order. */
  readonly touched: readonly string[];
}

export interface ListRequest {
  readonly places: ScopePlaces;
  /** Sessions whose checkpoints belong to the list wherever they were taken. */
  readonly sessions: readonly string[];
  /** Most entries. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The checkpoints of the folder that `places.cwd` belongs to and of some sessions, newest first. Reads only. */
export const listCheckpoints = async (
  store: ShadowStore,
  request: ListRequest,
): Promise<readonly CheckpointEntry[]> => {
  const { places, sessions, limit, signal } = request;
  const own = findScope(settledPath(places.cwd), places)?.root;
  const wanted = new Set(sessions);
  const snapshots: Snapshot[] = [];
  for (const { project } of await listProjects(store.directory)) {
    const listed = await listSnapshots(store, project, { signal, limit });
    snapshots.push(...listed.filter(({ session }) => project.root === own || wanted.has(session)));
  }
  return await toEntries(snapshots, limit);
};

const toEntries = async (snapshots: readonly Snapshot[], limit: number): Promise<readonly CheckpointEntry[]> => {
  const groups = new Map<string, Snapshot[]>();
  for (const snapshot of snapshots) {
    const key = snapshot.turn === "" ? snapshot.commit : snapshot.turn;
    groups.set(key, [...(groups.get(key) ?? []), snapshot]);
  }
  const sorted = [...groups.values()]
    .map((group) => group.toSorted((left, right) => left.at - right.at))
    .toSorted((left, right) => (right[0]?.at ?? 0) - (left[0]?.at ?? 0))
    .slice(0, limit);
  const entries: CheckpointEntry[] = [];
  for (const group of sorted) {
    const [first] = group;
    if (first === undefined) continue;
    const { at, turn, session, kind, summary } = first;
    const touched = await touchedAfter(group);
    entries.push({ number: entries.length + 1, at, turn, session, kind, summary, snapshots: group, touched });
  }
  return entries;
};

const touchedAfter = async (group: readonly Snapshot[]): Promise<readonly string[]> => {
  const touched = new Set<string>();
  for (const { project, number } of group)
    for (const touch of await readTouches(project))
      if (touch.number === number) touched.add(`${project.root}/${touch.path}`);
  return [...touched];
};

/** The entry of a number. Throws `checkpoint.unknown`. */
export const entryOf = (entries: readonly CheckpointEntry[], number: number): CheckpointEntry => {
  const entry = entries.find((each) => each.number === number);
  if (entry === undefined) throw checkpointErrors.unknown({ name: String(number) });
  return entry;
};

/** "As before this entry": of each folder that it or a later one has, the oldest snapshot from then on. */
export const snapshotsSince = (entries: readonly CheckpointEntry[], entry: CheckpointEntry): readonly Snapshot[] => {
  const oldest = new Map<string, Snapshot>();
  for (const { snapshots } of entries.filter(({ number }) => number <= entry.number))
    for (const snapshot of snapshots) {
      const known = oldest.get(snapshot.project.hash);
      if (known === undefined || snapshot.number < known.number) oldest.set(snapshot.project.hash, snapshot);
    }
  return [...oldest.values()];
};

/** How long another process may keep the store from us, for something that a person waits for. */
const WAIT_MS = 30_000;

export interface RestoreEntryRequest {
  readonly snapshots: readonly Snapshot[];
  /** Absolute; only this file or folder. */
  readonly path?: string | undefined;
  readonly deleteNew: boolean;
  readonly session: string;
  readonly signal: AbortSignal;
}

/** Restores folders, each having kept its present first. Throws `checkpoint.*`, `lock.busy`. */
export const restoreAll = async (
  store: ShadowStore,
  request: RestoreEntryRequest,
): Promise<readonly RestoreReport[]> => {
  const { signal, deleteNew, session } = request;
  const chosen = request.snapshots.flatMap((snapshot) => {
    const path = pathIn(snapshot, request.path);
    return path === undefined ? [] : [{ snapshot, path: path === "" ? undefined : path }];
  });
  if (chosen.length === 0) throw checkpointErrors.notInCheckpoint({ path: request.path ?? "" });
  const turn = `restore_${store.clock.now().toString(36)}`;
  return await store.alone("restoring a checkpoint", { signal, waitMs: WAIT_MS }, async () => {
    const reports: RestoreReport[] = [];
    for (const { snapshot, path } of chosen)
      reports.push(await restoreSnapshot(store, { snapshot, path, deleteNew, session, turn, signal }));
    return reports;
  });
};

/** The path within a snapshot's folder; "" = all of it, undefined = it is elsewhere. */
const pathIn = ({ project }: Snapshot, path: string | undefined): string | undefined => {
  if (path === undefined) return "";
  const settled = settledPath(path);
  return isInside(project.root, settled) ? relative(project.root, settled).split(sep).join("/") : undefined;
};

/** What changed from snapshots to the present, as a unified diff for each folder. */
export const diffAll = async (
  store: ShadowStore,
  snapshots: readonly Snapshot[],
  options: { readonly path?: string | undefined; readonly signal: AbortSignal },
): Promise<string> => {
  const { signal } = options;
  return await store.alone("comparing a checkpoint", { signal, waitMs: WAIT_MS }, async () => {
    const texts: string[] = [];
    for (const snapshot of snapshots) {
      const path = pathIn(snapshot, options.path);
      if (path === undefined) continue;
      const { project, whole, tree } = snapshot;
      const touched = (await readTouches(project)).filter(({ number }) => number >= snapshot.number);
      const paths = [...(await pathsIn(store, tree, signal)), ...touched.map((touch) => touch.path)];
      await using present = await buildTree(store, { project, whole, paths: [...new Set(paths)], signal });
      const text = await diffTrees(store, { from: tree, to: present.tree, ...(path === "" ? {} : { path }) }, signal);
      if (text !== "") texts.push(snapshots.length > 1 ? `# ${project.root}\n${text}` : text);
    }
    return texts.join("\n");
  });
};
