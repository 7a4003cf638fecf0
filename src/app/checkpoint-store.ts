import { join } from "node:path";
import type { BeforeChange } from "../agent/before-change.ts";
import type { ScopePlaces } from "../agent/checkpoints/find-scope.ts";
import { lastPrune, notePruned, pruneStore, type PrunePolicy } from "../agent/checkpoints/prune-store.ts";
import { createShadowStore, type ShadowStore } from "../agent/checkpoints/shadow-store.ts";
import { createTurnCheckpoints } from "../agent/checkpoints/turn-checkpoints.ts";
import { userDirectory } from "../config/environment.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";

/** Compat §4.10. */
const MOST_FILES = 50_000;
const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

/** Where the store is; the folder above it also holds what older versions of the Python system left. */
export const checkpointsFolder = (app: App): string => join(app.home.path, "checkpoints");

/** The home's shadow store; undefined where there is no git. Nothing is made yet. */
export const openCheckpointStore = (app: App): ShadowStore | undefined => {
  const program = findProgram("git", app.environment);
  if (program === undefined) return undefined;
  return createShadowStore({
    directory: join(checkpointsFolder(app), "store"),
    locks: app.paths.locks,
    clock: app.clock,
    program,
    path: app.environment["PATH"] ?? "",
    limits: { maxFiles: MOST_FILES, maxFileBytes: app.config.section("checkpoints").max_file_size_mb * MIB },
    agentHomes: agentHomes(app),
  });
};

const agentHomes = (app: App): readonly string[] => [...new Set([app.home.path, app.home.root])];

/** What decides which folder a path belongs to. */
export const scopePlaces = (app: App, cwd: string): ScopePlaces => ({
  cwd,
  userHome: userDirectory(app.environment),
  agentHomes: agentHomes(app),
});

/** What `checkpoints.*` lets stay. */
export const prunePolicy = (app: App): PrunePolicy => {
  const settings = app.config.section("checkpoints");
  return {
    maxSnapshots: settings.max_snapshots,
    maxTotalBytes: settings.max_total_size_mb * MIB,
    retentionDays: settings.retention_days,
    deleteOrphans: settings.delete_orphans,
  };
};

/** What keeps folders before the calls of one session change them. */
export const createSessionCheckpoints = (app: App, cwd: string): BeforeChange => {
  const store = openCheckpointStore(app);
  const pruning = createBackgroundPrune(app, store);
  return createTurnCheckpoints({
    store: () => Promise.resolve(store),
    places: scopePlaces(app, cwd),
    log: app.log.child({ component: "checkpoints" }),
    onTaken: pruning.begin,
    onWanted: pruning.stop,
  });
};

interface BackgroundPrune {
  readonly begin: () => void;
  readonly stop: () => void;
}

/** Prunes beside the turn when it is time; whoever needs the store ends it, and it begins anew after that. */
const createBackgroundPrune = (app: App, store: ShadowStore | undefined): BackgroundPrune => {
  const settings = app.config.section("checkpoints");
  if (store === undefined || !settings.auto_prune) return { begin: () => undefined, stop: () => undefined };
  let running: { readonly end: AbortController; readonly over: Promise<void> } | undefined;
  let isDone = false;
  let isClosed = false;
  const work = async (signal: AbortSignal): Promise<void> => {
    const isDue = (await lastPrune(store.directory)) <= app.clock.now() - settings.min_interval_hours * HOUR_MS;
    if (isDue)
      await store.alone("removing old checkpoints", { signal, waitMs: 0 }, async () => {
        await pruneStore(store, prunePolicy(app), signal);
        await notePruned(store);
      });
    isDone = true;
  };
  /** Never rejects. */
  const attempt = async (signal: AbortSignal): Promise<void> => {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) app.log.warn("old checkpoints could not be removed", { error });
    } finally {
      running = undefined;
    }
  };
  const begin = (): void => {
    if (running !== undefined || isDone || isClosed) return;
    const end = new AbortController();
    running = { end, over: attempt(end.signal) };
  };
  app.onClose(async () => {
    isClosed = true;
    running?.end.abort();
    await running?.over;
  });
  return { begin, stop: () => running?.end.abort() };
};
