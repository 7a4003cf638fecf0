import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { absent } from "../../base/system-error.ts";
import { forgetTouches } from "./journal.ts";
import { projectAt, type Project, type ShadowStore } from "./shadow-store.ts";
import { headOf, listSnapshots, renderMessage, type Snapshot } from "./snapshot-record.ts";
import { readProjectFile, type ProjectFile } from "./take-snapshot.ts";

/** What may stay. */
export interface PrunePolicy {
  /** Snapshots a project. */
  readonly maxSnapshots: number;
  readonly maxTotalBytes: number;
  readonly retentionDays: number;
  /** Drops projects whose folder is gone. */
  readonly deleteOrphans: boolean;
}

export interface PruneReport {
  readonly snapshots: number;
  readonly projects: number;
  readonly freedBytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A folder that was deleted by mistake is what checkpoints are for. */
const ORPHAN_DAYS = 3;
/** Snapshots are dropped by quarters until the rest fits. */
const SIZE_ROUNDS = 12;

/** A project of the store, and what its file says. */
export interface KnownProject {
  readonly project: Project;
  readonly file: ProjectFile;
}

/** Every project that the store knows. */
export const listProjects = async (directory: string): Promise<readonly KnownProject[]> => {
  const names = (await readdir(join(directory, "projects")).catch(absent)) ?? [];
  const known: KnownProject[] = [];
  for (const name of names.toSorted()) {
    const hash = /^([0-9a-f]{4,64})\.json$/.exec(name)?.[1];
    const file = hash === undefined ? undefined : await readProjectFile(join(directory, "projects", name));
    if (hash !== undefined && file !== undefined)
      known.push({ project: projectAt(directory, file.workdir, hash), file });
  }
  return known;
};

/** Bytes of everything in the store. */
export const storeBytes = async (directory: string): Promise<number> => {
  let bytes = 0;
  const names = (await readdir(directory, { recursive: true }).catch(absent)) ?? [];
  // What vanishes while it is counted counts nothing.
  for (const name of names) bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
};

/** Drops what the policy does not allow, then the objects that nothing needs. To be called with the store's lock. */
export const pruneStore = async (
  store: ShadowStore,
  policy: PrunePolicy,
  signal: AbortSignal,
): Promise<PruneReport> => {
  const before = await storeBytes(store.directory);
  let dropped = { snapshots: 0, projects: 0 };
  const now = store.clock.now();
  for (const known of await listProjects(store.directory)) {
    const snapshots = await listSnapshots(store, known.project, { signal });
    const isOrphan = await isGone(known, now);
    const kept =
      isOrphan && policy.deleteOrphans
        ? []
        : snapshots.slice(0, policy.maxSnapshots).filter(({ at }) => at > now - policy.retentionDays * DAY_MS);
    dropped = add(dropped, await keepOnly(store, known.project, { snapshots, kept, signal }));
  }
  await collect(store, signal);
  for (let round = 0; round < SIZE_ROUNDS && (await storeBytes(store.directory)) > policy.maxTotalBytes; round += 1) {
    const more = await dropOldest(store, signal);
    if (more.snapshots === 0) break;
    dropped = add(dropped, more);
    await collect(store, signal);
  }
  await dropStaleIndexes(store, signal);
  const after = await storeBytes(store.directory);
  return { ...dropped, freedBytes: Math.max(0, before - after) };
};

/** Whether the folder is gone, and has been left alone long enough. */
const isGone = async ({ project, file }: KnownProject, now: number): Promise<boolean> => {
  if (file.last_touch * 1000 > now - ORPHAN_DAYS * DAY_MS) return false;
  // A folder on a drive that is not there now cannot be told from a deleted one; the days before stand for both.
  return (await stat(project.root).catch(absent)) === undefined;
};

interface Dropped {
  readonly snapshots: number;
  readonly projects: number;
}

const add = (left: Dropped, right: Dropped): Dropped => ({
  snapshots: left.snapshots + right.snapshots,
  projects: left.projects + right.projects,
});

interface Keeping {
  readonly snapshots: readonly Snapshot[];
  /** A beginning of `snapshots`. */
  readonly kept: readonly Snapshot[];
  readonly signal: AbortSignal;
}

const keepOnly = async (
  store: ShadowStore,
  project: Project,
  { snapshots, kept, signal }: Keeping,
): Promise<Dropped> => {
  const count = snapshots.length - kept.length;
  if (kept.length === 0) {
    await forgetProject(store, project, signal);
    return { snapshots: count, projects: 1 };
  }
  if (count === 0) return { snapshots: 0, projects: 0 };
  await rewrite(store, project, { snapshots, kept, signal });
  await forgetTouches(project, kept.at(-1)?.number ?? 0);
  return { snapshots: count, projects: 0 };
};

const forgetProject = async (store: ShadowStore, project: Project, signal: AbortSignal): Promise<void> => {
  // The index first: it must never outlive the objects that it names.
  await rm(project.index, { force: true });
  await store.git({ args: ["update-ref", "-d", project.ref], signal });
  await rm(project.touched, { force: true });
  await rm(project.file, { force: true });
};

/** The same snapshots without those before them, as one stream: the oldest that stays has no parent any more. */
const rewrite = async (store: ShadowStore, project: Project, { kept, signal }: Keeping): Promise<void> => {
  const parts = kept.toReversed().map((snapshot, index) => {
    const { version, number, at, turn, session, kind, whole, modes } = snapshot;
    const data = { version, number, at, turn, session, kind, whole, modes };
    const message = Buffer.from(renderMessage(snapshot.summary, data));
    const seconds = Math.floor(at / 1000);
    const reset = index === 0 ? `reset ${project.ref}\n` : "";
    return Buffer.concat([
      Buffer.from(
        `${reset}commit ${project.ref}\ncommitter Hermes checkpoints <checkpoints@hermes.invalid> ${seconds} +0000\ndata ${message.length}\n`,
      ),
      message,
      Buffer.from(`\nM 040000 ${snapshot.tree} ""\n\n`),
    ]);
  });
  await store.git({ args: ["fast-import", "--quiet", "--force"], input: Buffer.concat(parts), signal });
};

/** Repacks what is referred to and removes the rest. */
const collect = async (store: ShadowStore, signal: AbortSignal): Promise<void> => {
  await store.git({ args: ["repack", "-a", "-d", "-q"], signal });
  await store.git({ args: ["prune", "--expire=now"], signal });
  // Objects that a killed git was writing.
  await store.git({ args: ["prune-packed", "-q"], signal });
};

const dropOldest = async (store: ShadowStore, signal: AbortSignal): Promise<Dropped> => {
  const lists = new Map<Project, readonly Snapshot[]>();
  for (const { project } of await listProjects(store.directory))
    lists.set(project, await listSnapshots(store, project, { signal }));
  const all = [...lists.values()].flat().toSorted((left, right) => left.at - right.at);
  const doomed = new Set(all.slice(0, Math.ceil(all.length / 4)).map(({ commit }) => commit));
  let dropped: Dropped = { snapshots: 0, projects: 0 };
  for (const [project, snapshots] of lists) {
    const kept = snapshots.slice(
      0,
      Math.max(
        0,
        snapshots.findIndex(({ commit }) => doomed.has(commit)),
      ),
    );
    if (!snapshots.some(({ commit }) => doomed.has(commit))) continue;
    dropped = add(dropped, await keepOnly(store, project, { snapshots, kept, signal }));
  }
  return dropped;
};

/** An index that is older than its project's newest snapshot may name objects that are gone. */
const dropStaleIndexes = async (store: ShadowStore, signal: AbortSignal): Promise<void> => {
  for (const { project } of await listProjects(store.directory)) {
    const head = await headOf(store, project, signal);
    if ((await stat(project.index).catch(absent)) === undefined) continue;
    if (head === undefined) {
      await rm(project.index, { force: true });
      continue;
    }
    const args = ["diff-index", "--cached", "--quiet", head, "--"];
    const same = await store.git({ args, index: project.index, signal, allowed: [1, 128] });
    if (same.code !== 0) await rm(project.index, { force: true });
  }
};

const LAST_PRUNE = ".last_prune";

/** When the store was last pruned, ms UTC; 0 = never. */
export const lastPrune = async (directory: string): Promise<number> =>
  (await stat(join(directory, LAST_PRUNE)).catch(absent))?.mtimeMs ?? 0;

/** Notes that it has been pruned now. */
export const notePruned = async (store: ShadowStore): Promise<void> => {
  const path = join(store.directory, LAST_PRUNE);
  const seconds = store.clock.now() / 1000;
  await writeFile(path, `${seconds}\n`, { mode: 0o600 });
  await utimes(path, seconds, seconds);
};
