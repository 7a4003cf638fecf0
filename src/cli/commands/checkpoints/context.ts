import type { App } from "../../../app/app.ts";
import { openCheckpointStore, scopePlaces } from "../../../app/checkpoint-store.ts";
import { entryOf, listCheckpoints, type CheckpointEntry } from "../../../agent/checkpoints/checkpoints.ts";
import { checkpointErrors } from "../../../agent/checkpoints/errors.ts";
import type { ShadowStore } from "../../../agent/checkpoints/shadow-store.ts";
import type { Output } from "../../output.ts";
import { wholeNumber } from "../../whole-number.ts";

/** The store of a home. Throws `checkpoint.no_git`. */
export const needStore = (app: App): ShadowStore => {
  const store = openCheckpointStore(app);
  if (store === undefined) throw checkpointErrors.noGit({});
  return store;
};

/** The checkpoints of the current folder's project. */
export const checkpointsHere = (
  app: App,
  store: ShadowStore,
  options: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly CheckpointEntry[]> =>
  listCheckpoints(store, { places: scopePlaces(app, process.cwd()), sessions: [], ...options });

/** The checkpoint that a command names by its number. Throws `checkpoint.unknown` and `cli.usage`. */
export const namedEntry = (entries: readonly CheckpointEntry[], name: unknown): CheckpointEntry =>
  entryOf(entries, wholeNumber("The checkpoint", typeof name === "string" ? name : undefined));

/** Prints a value as JSON. */
export const printJson = (output: Output, value: unknown): void =>
  output.stdout(`${JSON.stringify(value, undefined, 2)}\n`);
