import { lstatSync } from "node:fs";
import { relative, sep } from "node:path";
import { AppError, messageOf } from "../../base/app-error.ts";
import { DeadlineError } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { BeforeChange, ChangeNotice, UpcomingChange } from "../before-change.ts";
import { pathsIn } from "./compare-trees.ts";
import { changedPaths, findScope, type Scope, type ScopePlaces } from "./find-scope.ts";
import { noteTouches, type Touch } from "./journal.ts";
import type { ShadowStore } from "./shadow-store.ts";
import type { Snapshot } from "./snapshot-record.ts";
import { extendSnapshot, takeSnapshot } from "./take-snapshot.ts";

export interface TurnCheckpointsDeps {
  /** Undefined = there is no git. */
  readonly store: () => Promise<ShadowStore | undefined>;
  readonly places: ScopePlaces;
  readonly log: Logger;
  /** Called after a snapshot was taken. */
  readonly onTaken: () => void;
  /** Called before the store is needed, so that what runs in the background lets go of it. */
  readonly onWanted: () => void;
}

/** A change waits no longer than this for its snapshot. */
const LONGEST_MS = 15_000;

/** What is known of one folder in the turn that runs. */
interface Place {
  snapshot: Snapshot;
  /** Relative paths that were looked at. */
  readonly seen: Set<string>;
  /** What the snapshot holds; read when a second path is touched. */
  inIt: ReadonlySet<string> | undefined;
}

interface State {
  turn: string;
  places: Map<string, Place>;
  /** Folders of which no snapshot could be taken: not tried again. */
  readonly givenUp: Set<string>;
  toldNoGit: boolean;
}

/** Takes one snapshot a folder and turn, before the first change (compat §4.10). */
export const createTurnCheckpoints = (deps: TurnCheckpointsDeps): BeforeChange => {
  const state: State = { turn: "", places: new Map(), givenUp: new Set(), toldNoGit: false };
  let before: Promise<unknown> = Promise.resolve();
  return (change, { signal }) => {
    // Changes of one answer may come at the same time; the first one's snapshot is the others' too.
    const work = before.then(() => keepAll(deps, state, { change, signal }));
    before = work.catch(() => undefined);
    return work;
  };
};

interface Upcoming {
  readonly change: UpcomingChange;
  readonly signal: AbortSignal;
}

const keepAll = async (
  deps: TurnCheckpointsDeps,
  state: State,
  { change, signal }: Upcoming,
): Promise<readonly ChangeNotice[]> => {
  if (state.turn !== change.turn) {
    state.turn = change.turn;
    state.places = new Map();
  }
  const groups = groupByScope(change.paths, deps.places);
  if (groups.length === 0) return [];
  const store = await deps.store();
  if (store === undefined) {
    if (state.toldNoGit) return [];
    state.toldNoGit = true;
    return [{ code: "checkpoints_without_git", message: "No checkpoints: the program git was not found." }];
  }
  const notices: ChangeNotice[] = [];
  for (const group of groups) {
    if (state.givenUp.has(group.scope.root)) continue;
    const notice = await keepOne({ deps, state, store }, group, { change, signal });
    if (notice !== undefined) notices.push(notice);
  }
  return notices;
};

interface Group {
  readonly scope: Scope;
  /** Settled, absolute. */
  readonly paths: readonly string[];
}

const groupByScope = (paths: readonly string[], places: ScopePlaces): readonly Group[] => {
  const groups = new Map<string, { scope: Scope; paths: string[] }>();
  for (const path of paths.flatMap(changedPaths)) {
    if (path.startsWith("/dev/") || path.startsWith("/proc/")) continue;
    const scope = findScope(path, places);
    if (scope === undefined) continue;
    const group = groups.get(scope.root) ?? { scope, paths: [] };
    groups.set(scope.root, {
      scope: { root: scope.root, whole: group.scope.whole || scope.whole },
      paths: group.paths,
    });
    group.paths.push(path);
  }
  return [...groups.values()];
};

interface Keeper {
  readonly deps: TurnCheckpointsDeps;
  readonly state: State;
  readonly store: ShadowStore;
}

const keepOne = async (
  keeper: Keeper,
  group: Group,
  { change, signal }: Upcoming,
): Promise<ChangeNotice | undefined> => {
  const { deps, state, store } = keeper;
  using deadline = store.clock.deadline(LONGEST_MS);
  const either = AbortSignal.any([signal, deadline.signal]);
  try {
    await keep(keeper, group, { change, signal: either });
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    state.givenUp.add(group.scope.root);
    deps.log.warn("no checkpoint could be taken", { root: group.scope.root, error });
    return { code: "checkpoint_failed", message: `No checkpoints of ${group.scope.root}: ${reasonOf(error)}` };
  }
};

const reasonOf = (error: unknown): string => {
  if (error instanceof DeadlineError) return `it took longer than ${LONGEST_MS / 1000} s.`;
  if (error instanceof AppError && error.hint !== undefined) return `${error.message} ${error.hint}`;
  return messageOf(error);
};

const keep = async ({ deps, state, store }: Keeper, group: Group, { change, signal }: Upcoming): Promise<void> => {
  const { root, whole } = group.scope;
  const project = store.project(root);
  const place = state.places.get(root);
  const paths = group.paths
    .filter((path) => path !== root)
    .map((path) => ({
      path: relative(root, path).split(sep).join("/"),
      found: lstatSync(path, { throwIfNoEntry: false }),
    }))
    .filter(({ path }) => place?.seen.has(path) !== true);
  if (place !== undefined && paths.length === 0) return;
  deps.onWanted();
  const files = paths.filter(({ found }) => found !== undefined && !found.isDirectory()).map(({ path }) => path);
  await store.alone("taking a checkpoint", { signal, waitMs: LONGEST_MS }, async () => {
    if (place === undefined) {
      const { turn, session, summary } = change;
      const request = { project, turn, session, kind: "turn", whole, paths: files, summary, signal } as const;
      state.places.set(root, { snapshot: await takeSnapshot(store, request), seen: new Set(), inIt: undefined });
    } else {
      place.inIt ??= new Set(await pathsIn(store, place.snapshot.tree, signal));
      const missing = files.filter((path) => place.inIt?.has(path) !== true);
      if (missing.length > 0) place.snapshot = await extendSnapshot(store, place.snapshot, { paths: missing, signal });
    }
    const now = state.places.get(root);
    const number = now?.snapshot.number ?? 0;
    const touches: Touch[] = paths.map(({ path, found }) => ({ number, path, existed: found !== undefined }));
    for (const { path } of touches) now?.seen.add(path);
    await noteTouches(project, touches);
  });
  deps.onTaken();
};
