import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../base/app-error.ts";
import { absent } from "../../base/system-error.ts";
import { eachOf } from "./build-tree.ts";
import { compareTrees, pathsIn, readBlob, type TreeDifference } from "./compare-trees.ts";
import { checkpointErrors } from "./errors.ts";
import { noteTouches, readTouches } from "./journal.ts";
import type { Project, ShadowStore } from "./shadow-store.ts";
import type { Snapshot, SnapshotModes } from "./snapshot-record.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { putEntry, removeEntry, setMode, type EntryOutcome } from "./write-entry.ts";

export interface RestoreRequest {
  readonly snapshot: Snapshot;
  /** Only this path, or what is below it; relative. */
  readonly path?: string | undefined;
  /** Removes also what came since without the agent's calls having made it. */
  readonly deleteNew: boolean;
  readonly session: string;
  /** Joins the restores of several folders in lists. */
  readonly turn: string;
  readonly signal: AbortSignal;
}

/** What a restore did; paths are relative to the snapshot's folder. */
export interface RestoreReport {
  readonly root: string;
  /** The present as it was before, to go back to. */
  readonly kept: Snapshot;
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Came since and was left alone. */
  readonly left: readonly string[];
  /** Could not be restored, and why. */
  readonly blocked: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Brings a folder back to a snapshot, having kept the present first. Nothing outside the folder is touched. Throws `checkpoint.*`; to be
 * called with the store's lock.
 */
export const restoreSnapshot = async (store: ShadowStore, request: RestoreRequest): Promise<RestoreReport> => {
  const { snapshot, signal, session } = request;
  const { project } = snapshot;
  await prepareRoot(project);
  const paths = await pathsIn(store, snapshot.tree, signal);
  await refuseUnknownPath(project, request.path, paths);
  const kept = await takeSnapshot(store, {
    project,
    turn: request.turn,
    session,
    kind: "restore",
    whole: snapshot.whole,
    paths: await pathsToKeep(store, snapshot, signal),
    summary: `before going back to checkpoint of ${new Date(snapshot.at).toISOString()}`,
    signal,
  });
  const all = await compareTrees(store, { from: kept.tree, to: snapshot.tree }, signal);
  const differences = [...all, ...(await modeDifferences(snapshot, { paths, found: all }))];
  const chosen = differences.filter(({ path }) => isWanted(path, request.path));
  if (request.path !== undefined && chosen.length === 0 && !paths.some((path) => isWanted(path, request.path)))
    throw checkpointErrors.notInCheckpoint({ path: request.path });
  const created = await createdSince(snapshot);
  const plan = planRestore(chosen, (path) => request.deleteNew || request.path !== undefined || created.has(path));
  const report = await carryOut(store, { plan, snapshot, signal });
  await noteTouches(
    project,
    report.restored.map((path) => ({ number: kept.number, path, existed: !plan.missing.has(path) })),
  );
  return { root: project.root, kept, left: plan.left, ...report };
};

/** Before anything is kept: a name that means nothing must leave no checkpoint behind. */
const refuseUnknownPath = async (
  { root }: Project,
  path: string | undefined,
  known: readonly string[],
): Promise<void> => {
  if (path === undefined || known.some((each) => isWanted(each, path))) return;
  if ((await lstat(join(root, path)).catch(absent)) === undefined) throw checkpointErrors.notInCheckpoint({ path });
};

/** A folder that was deleted is made again where the one above it still stands. */
const prepareRoot = async ({ root }: Project): Promise<void> => {
  try {
    if ((await stat(root).catch(absent)) === undefined) await mkdir(root);
    if ((await realpath(root)) === root && (await stat(root)).isDirectory()) return;
  } catch (error) {
    throw checkpointErrors.rootGone({ root, why: messageOf(error) }, error);
  }
  throw checkpointErrors.rootGone({ root, why: "something else stands there now" });
};

/** What is in the snapshot although it is ignored, and (where it is not a whole one) all that was touched since. */
const pathsToKeep = async (store: ShadowStore, snapshot: Snapshot, signal: AbortSignal): Promise<readonly string[]> => {
  const inIt = await pathsIn(store, snapshot.tree, signal);
  const touched = (await readTouches(snapshot.project)).filter(({ number }) => number >= snapshot.number);
  return [...new Set([...inIt, ...touched.map(({ path }) => path)])];
};

/** The paths that were not there when the agent's calls first touched them, in the turns from this snapshot on. */
const createdSince = async (snapshot: Snapshot): Promise<ReadonlySet<string>> => {
  const created = new Set<string>();
  const seen = new Set<string>();
  for (const { number, path, existed } of await readTouches(snapshot.project)) {
    if (number < snapshot.number || seen.has(path)) continue;
    seen.add(path);
    if (!existed) created.add(path);
  }
  return created;
};

const isWanted = (path: string, wanted: string | undefined): boolean =>
  wanted === undefined || wanted === "" || path === wanted || path.startsWith(`${wanted}/`);

/** A difference of which git knows nothing: other bits of the mode. */
type Difference = TreeDifference & { readonly modeOnly?: number };

/** Paths of which only the mode differs, with the mode to set. */
const modeDifferences = async (
  snapshot: Snapshot,
  { paths, found }: { readonly paths: readonly string[]; readonly found: readonly TreeDifference[] },
): Promise<readonly Difference[]> => {
  const known = new Set(found.map(({ path }) => path));
  const differences: Difference[] = [];
  await eachOf(
    paths.filter((path) => !known.has(path)),
    async (path) => {
      const entry = await lstat(join(snapshot.project.root, path)).catch(() => undefined); // gone meanwhile: nothing has a mode
      if (entry?.isFile() !== true) return;
      const executable = (entry.mode & 0o100) !== 0;
      const mode = fileMode(snapshot.modes, path, executable);
      const file = { kind: "file" as const, executable, blob: "" };
      if (mode !== (entry.mode & 0o777)) differences.push({ path, from: file, to: file, modeOnly: mode });
    },
  );
  return differences;
};

/** Undefined = an ordinary one. */
const modeOf = ({ other }: SnapshotModes, path: string): number | undefined =>
  Object.hasOwn(other, path) ? other[path] : undefined;

interface RestorePlan {
  readonly remove: readonly string[];
  readonly write: readonly Difference[];
  readonly left: readonly string[];
  /** Of what is written, that which is not there now. */
  readonly missing: ReadonlySet<string>;
}

/** What came since goes if it may, or if something that must come back needs its place. */
const planRestore = (differences: readonly Difference[], mayGo: (path: string) => boolean): RestorePlan => {
  const write = differences.filter(({ to }) => to !== undefined);
  const folders = new Set(write.flatMap(({ path }) => parentsOf(path)));
  const files = new Set(write.map(({ path }) => path));
  const isInTheWay = (path: string): boolean =>
    folders.has(path) || parentsOf(path).some((parent) => files.has(parent));
  const gone = differences.filter(({ to }) => to === undefined).map(({ path }) => path);
  const remove = gone.filter((path) => mayGo(path) || isInTheWay(path));
  const removed = new Set(remove);
  return {
    remove,
    write,
    left: gone.filter((path) => !removed.has(path)),
    missing: new Set(write.filter(({ from }) => from === undefined).map(({ path }) => path)),
  };
};

const parentsOf = (path: string): readonly string[] => {
  const parents: string[] = [];
  for (let at = dirname(path); at !== "."; at = dirname(at)) parents.push(at);
  return parents;
};

interface Work {
  readonly plan: RestorePlan;
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

const carryOut = async (
  store: ShadowStore,
  { plan, snapshot, signal }: Work,
): Promise<Pick<RestoreReport, "restored" | "removed" | "blocked">> => {
  const { root } = snapshot.project;
  const restored: string[] = [];
  const removed: string[] = [];
  const blocked: { path: string; why: string }[] = [];
  const settle = async (path: string, into: string[], run: () => Promise<EntryOutcome>): Promise<void> => {
    signal.throwIfAborted();
    const outcome = await attempt(run);
    if (outcome.kind === "done") into.push(path);
    else blocked.push({ path, why: outcome.why });
  };
  for (const path of plan.remove) await settle(path, removed, () => removeEntry(root, path));
  for (const difference of plan.write)
    await settle(difference.path, restored, () => writeBack(store, snapshot, { difference, signal }));
  return { restored, removed, blocked };
};

/** One file that cannot be written does not keep the others from coming back. */
const attempt = async (run: () => Promise<EntryOutcome>): Promise<EntryOutcome> => {
  try {
    return await run();
  } catch (error) {
    return { kind: "blocked", why: messageOf(error) };
  }
};

const writeBack = async (
  store: ShadowStore,
  snapshot: Snapshot,
  { difference, signal }: { readonly difference: Difference; readonly signal: AbortSignal },
): Promise<EntryOutcome> => {
  const { path, from, to, modeOnly } = difference;
  const { root } = snapshot.project;
  if (to === undefined) return { kind: "done" };
  if (modeOnly !== undefined) return setMode(root, path, modeOnly);
  const existing = await lstat(join(root, path)).catch(absent);
  if (from === undefined && existing?.isFile() === true)
    return { kind: "blocked", why: "the present file is too large to keep a copy of, or cannot be read" };
  const bytes = await readBlob(store, to.blob, signal);
  if (to.kind === "link") return putEntry(root, path, { kind: "link", target: bytes });
  return putEntry(root, path, { kind: "file", bytes, mode: fileMode(snapshot.modes, path, to.executable) });
};

const fileMode = (modes: SnapshotModes, path: string, executable: boolean): number =>
  (modeOf(modes, path) ?? (executable ? modes.exec : modes.file)) & 0o777;
