import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { BeforeChange } from "../agent/before-change.ts";
import { createShadowStore, type ShadowStore, type SnapshotLimits } from "../agent/checkpoints/shadow-store.ts";
import { createTurnCheckpoints } from "../agent/checkpoints/turn-checkpoints.ts";
import type { ScopePlaces } from "../agent/checkpoints/find-scope.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { SessionId, TurnId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import { readEnvironment } from "../config/environment.ts";
import { createTempDirectory } from "./temp-home.ts";

/** A shadow store and a folder to work in, below a directory that is removed in the end. */
export interface CheckpointRig extends AsyncDisposable {
  readonly directory: string;
  /** The person's home. */
  readonly home: string;
  /** Where the session works; exists. */
  readonly work: string;
  readonly store: ShadowStore;
  readonly places: ScopePlaces;
  readonly signal: AbortSignal;
  /** Another store over the same files, as a second process has. */
  again(limits?: Partial<SnapshotLimits>): ShadowStore;
  beforeChange: BeforeChange;
  /** Tells that a turn of the test is about to change paths. */
  touch(
    turn: string,
    ...paths: readonly string[]
  ): Promise<readonly { readonly code: string; readonly message: string }[]>;
  /** Runs the person's own git in a folder. */
  git(folder: string, ...args: readonly string[]): string;
}

export interface CheckpointRigOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<SnapshotLimits>;
  readonly program?: string;
}

/** The git that the tests run with. */
export const gitProgram = (): string => execFileSync("which", ["git"], { encoding: "utf8" }).trim();

export const createCheckpointRig = (options: CheckpointRigOptions = {}): CheckpointRig => {
  const temp = createTempDirectory();
  const directory = realpathSync(temp.path);
  const home = join(directory, "home");
  const work = join(home, "work");
  const agentHome = join(home, ".hermes");
  mkdirSync(work, { recursive: true });
  mkdirSync(agentHome, { mode: 0o700 });
  const path = readEnvironment()["PATH"] ?? "";
  const again = (limits: Partial<SnapshotLimits> = {}): ShadowStore =>
    createShadowStore({
      directory: join(agentHome, "checkpoints", "store"),
      locks: join(agentHome, "locks"),
      clock: options.clock ?? systemClock,
      program: options.program ?? gitProgram(),
      path,
      limits: { maxFiles: 50_000, maxFileBytes: 1024 * 1024, ...options.limits, ...limits },
      agentHomes: [agentHome],
    });
  const store = again();
  const places: ScopePlaces = { cwd: work, userHome: home, agentHomes: [agentHome] };
  const log: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };
  const signal = new AbortController().signal;
  const beforeChange = createTurnCheckpoints({
    store: async () => store,
    places,
    log,
    onTaken: () => undefined,
    onWanted: () => undefined,
  });
  return {
    directory,
    home,
    work,
    store,
    places,
    signal,
    again,
    beforeChange,
    touch: (turn, ...paths) =>
      beforeChange(
        { session: "20261201_120000_abcdef" as SessionId, turn: turn as TurnId, paths, summary: `change in ${turn}` },
        { signal },
      ),
    git: (folder, ...args) =>
      execFileSync("git", args, {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: path,
          HOME: home,
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_AUTHOR_NAME: "A",
          GIT_AUTHOR_EMAIL: "a@example.com",
          GIT_COMMITTER_NAME: "A",
          GIT_COMMITTER_EMAIL: "a@example.com",
        },
      }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};
